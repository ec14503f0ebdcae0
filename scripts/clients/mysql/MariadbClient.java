// MariaDB Connector/J: modes client (values in the text) and server (useServerPrepStmts).
import java.sql.*;
import java.util.*;

class MariadbClient {
    static final String ALL = "SELECT n FROM parcels ORDER BY n";
    static String options;

    static Connection open() throws SQLException {
        return DriverManager.getConnection("jdbc:mariadb://" + System.getenv("MYSQL_HOST") + ":" + System.getenv("MYSQL_TCP_PORT") + "/"
            + System.getenv("MYSQL_DATABASE") + "?user=" + System.getenv("MYSQL_USER") + "&password=" + System.getenv("MYSQL_PWD")
            + "&allowMultiQueries=true&allowPublicKeyRetrieval=true" + options);
    }

    static void say(String check, String got) { System.out.println("{\"check\":\"" + check + "\",\"got\":{" + got + "}}"); }

    static String quote(String s) { return s == null ? "null" : "\"" + s.replace("\\", "\\\\").replace("\"", "\\\"") + "\""; }

    static List<Long> read(ResultSet r) throws SQLException {
        List<Long> rows = new ArrayList<>();
        while (r.next()) rows.add(r.getLong(1));
        return rows;
    }

    static List<SQLWarning> warnings(Statement s) throws SQLException {
        List<SQLWarning> list = new ArrayList<>();
        for (SQLWarning w = s.getWarnings(); w != null; w = w.getNextWarning()) list.add(w);
        return list;
    }

    // A run statement: the rows of its results, and its warnings.
    static class Answer {
        List<List<Long>> lists = new ArrayList<>();
        List<SQLWarning> warnings;

        Answer(Statement s) throws SQLException {
            for (boolean more = true; more; more = s.getMoreResults() || s.getUpdateCount() != -1)
                if (s.getResultSet() != null) lists.add(read(s.getResultSet()));
            warnings = warnings(s);
        }

        List<Long> rows() { return lists.isEmpty() ? List.of() : lists.get(0); }

        String print() { return "\"rows\":" + rows() + ",\"notices\":" + warnings.size(); }
    }

    static Answer run(Connection c, String sql, Object... values) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) s.setObject(i + 1, values[i]);
            s.execute();
            return new Answer(s);
        }
    }

    // Without a prepared statement.
    static Answer text(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
            return new Answer(s);
        }
    }

    static SQLException fault(Connection c, String sql) {
        try {
            run(c, sql);
            return new SQLException();
        } catch (SQLException e) {
            return e;
        }
    }

    // The driver takes the limit of setMaxRows back before it asks for warnings, and MySQL
    // drops them then. Asked under the same limit they are there.
    static int shown(Connection c, int maxRows) throws SQLException {
        if (System.getenv("MYSQL_FLAVOR").equals("mariadb")) return 0;
        try (PreparedStatement s = c.prepareStatement(ALL); Statement w = c.createStatement()) {
            s.setMaxRows(maxRows);
            s.execute();
            read(s.getResultSet());
            w.setMaxRows(maxRows);
            int n = 0;
            for (ResultSet r = w.executeQuery("SHOW WARNINGS"); r.next(); ) n++;
            return n;
        }
    }

    public static void main(String[] args) throws Exception {
        options = args[0].equals("server") ? "&useServerPrepStmts=true" : "";
        try (Connection c = open()) {
            Answer a = run(c, ALL);
            say("rows", "\"rows\":" + a.rows());
            SQLWarning n = a.warnings.get(0);
            String level = null;
            run(c, ALL);
            try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("SHOW WARNINGS")) {
                while (r.next()) level = r.getString(1);
            }
            say("notice", "\"count\":" + a.warnings.size() + ",\"level\":" + quote(level) + ",\"code\":" + n.getErrorCode() + ",\"message\":" + quote(n.getMessage()));
            say("step", run(c, "SELECT 7").print());
            a = run(c, "SELECT n FROM parcels WHERE n > 'x' ORDER BY n");
            Set<Integer> codes = new LinkedHashSet<>();
            for (SQLWarning w : a.warnings) codes.add(w.getErrorCode());
            say("merged", "\"codes\":" + codes);
            say("whole", run(c, "SELECT n FROM parcels WHERE n <= ? ORDER BY n", 5).print());
            say("own", run(c, ALL + " LIMIT ?", 3).print());
            say("clamped", run(c, ALL + " LIMIT ?", 12).print());
        }
        try (Connection c = open(); PreparedStatement s = c.prepareStatement("SELECT n FROM parcels WHERE n > ? ORDER BY n")) {
            int cut = 0, whole = 0, notices = 0;
            for (int i = 0; i < 16; i++) {
                s.setInt(1, i % 2 == 0 ? 2 : 9);
                s.execute();
                Answer a = new Answer(s);
                notices += a.warnings.size();
                if (i % 2 == 0 && a.rows().equals(List.of(3L, 4L, 5L, 6L, 7L))) cut++;
                if (i % 2 == 1 && a.rows().equals(List.of(10L, 11L, 12L))) whole++;
            }
            say("prepared", "\"cut\":" + cut + ",\"whole\":" + whole + ",\"notices\":" + notices);
        }
        // This driver opens no cursor of the server: it reads so many rows at a time from the wire.
        try (Connection c = open(); PreparedStatement s = c.prepareStatement(ALL)) {
            s.setFetchSize(2);
            List<Long> rows;
            try (ResultSet r = s.executeQuery()) {
                rows = read(r);
            }
            say("stream", "\"rows\":" + rows + ",\"notices\":" + warnings(s).size() + ",\"next\":" + run(c, "SELECT 7").rows());
        }
        try (Connection c = open(); PreparedStatement s = c.prepareStatement(ALL)) {
            s.setMaxRows(3);
            s.execute();
            say("max_rows", new Answer(s).print());
            s.setMaxRows(9);
            s.execute();
            Answer above = new Answer(s);
            say("max_rows_above", "\"rows\":" + above.rows() + ",\"notices\":" + (above.warnings.size() + shown(c, 9)));
            s.setMaxRows(0);
            s.execute();
            say("max_rows_none", new Answer(s).print());
        }
        try (Connection c = open()) {
            run(c, ALL);
            SQLException e = fault(c, "SELECT nothing");
            say("error", "\"code\":" + e.getErrorCode() + ",\"state\":" + quote(e.getSQLState()) + ",\"rows\":" + run(c, "SELECT 7").rows());
            c.setAutoCommit(false);
            run(c, "INSERT INTO shelves VALUES (1)");
            run(c, ALL);
            e = fault(c, "INSERT INTO shelves VALUES (1)");
            long before = run(c, "SELECT count(*) FROM shelves").rows().get(0);
            c.rollback();
            say("transaction", "\"code\":" + e.getErrorCode() + ",\"before\":" + before + ",\"after\":" + run(c, "SELECT count(*) FROM shelves").rows().get(0));
        }
        try (Connection c = open()) {
            if (System.getenv("MYSQL_FLAVOR").equals("mariadb")) {
                Answer a = run(c, "INSERT INTO shelves SELECT n FROM parcels WHERE n <= ? RETURNING n", 8);
                say("returning", a.print() + ",\"stored\":" + run(c, "SELECT count(*) FROM shelves").rows().get(0));
            }
            try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("SHOW VARIABLES")) {
                int rows = 0;
                while (r.next()) rows++;
                say("guard", "\"rows\":" + rows + ",\"notices\":" + warnings(s).size());
            }
            try (CallableStatement s = c.prepareCall("{CALL lists()}")) {
                s.execute();
                Answer a = new Answer(s);
                say("call", "\"rows\":" + a.lists + ",\"notices\":" + a.warnings.size());
            }
            Answer a = text(c, ALL + "; SELECT 7");
            say("script", "\"rows\":" + a.lists + ",\"notices\":" + a.warnings.size());
        }
        try (Connection c = open()) {
            text(c, "SET sql_select_limit = 3");
            Answer below = run(c, ALL);
            text(c, "SET sql_select_limit = 9");
            Answer above = run(c, ALL);
            say("select_limit", "\"below\":" + below.rows() + ",\"below_notices\":" + below.warnings.size() + ",\"above\":" + above.rows()
                + ",\"above_notices\":" + above.warnings.size() + ",\"setting\":" + run(c, "SELECT @@sql_select_limit").rows().get(0));
        }
    }
}
