// pgjdbc: modes extended (prepareThreshold 5), prepared (prepareThreshold 1), simple (preferQueryMode).
import java.sql.*;
import java.util.*;
import org.postgresql.*;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.*;

class PgjdbcClient {
    static final String ALL = "SELECT n FROM parcels ORDER BY n";
    static String options;

    static Connection open() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/"
            + System.getenv("PGDATABASE") + "?user=" + System.getenv("PGUSER") + "&password=" + System.getenv("PGPASSWORD") + options);
    }

    static void say(String check, String got) { System.out.println("{\"check\":\"" + check + "\",\"got\":{" + got + "}}"); }

    static String quote(String s) { return s == null ? "null" : "\"" + s.replace("\\", "\\\\").replace("\"", "\\\"") + "\""; }

    static List<Long> read(ResultSet r) throws SQLException {
        List<Long> rows = new ArrayList<>();
        while (r.next()) rows.add(r.getLong(1));
        return rows;
    }

    // A run statement: its rows and its warnings.
    static class Answer {
        List<Long> rows = new ArrayList<>();
        List<PSQLWarning> notices = new ArrayList<>();

        Answer(Statement s) throws SQLException {
            if (s.getResultSet() != null) rows = read(s.getResultSet());
            for (SQLWarning w = s.getWarnings(); w != null; w = w.getNextWarning()) notices.add((PSQLWarning) w);
        }
    }

    static Answer run(Connection c, String sql, Object... values) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) s.setObject(i + 1, values[i]);
            s.execute();
            return new Answer(s);
        }
    }

    static String code(Connection c, String sql) {
        try {
            run(c, sql);
            return null;
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    static String last(Connection c) throws SQLException {
        String s = c.unwrap(PGConnection.class).getParameterStatus("rowcap.last");
        return s.substring(1, s.length() - 1);
    }

    public static void main(String[] args) throws Exception {
        options = switch (args[0]) {
            case "simple" -> "&preferQueryMode=simple";
            case "prepared" -> "&prepareThreshold=1";
            default -> "";
        };
        try (Connection c = open()) {
            Answer a = run(c, ALL);
            say("rows", "\"rows\":" + a.rows);
            ServerErrorMessage n = a.notices.get(0).getServerErrorMessage();
            say("notice", "\"severity\":" + quote(n.getSeverity()) + ",\"code\":" + quote(n.getSQLState()) + ",\"message\":" + quote(n.getMessage())
                + ",\"detail\":" + quote(n.getDetail()) + ",\"hint\":" + quote(n.getHint()));
            say("last", last(c));
            a = run(c, "SELECT 7");
            say("step", "\"rows\":" + a.rows + ",\"notices\":" + a.notices.size());
            a = run(c, "SELECT n FROM parcels WHERE n <= 5 ORDER BY n");
            say("whole", "\"rows\":" + a.rows + ",\"notices\":" + a.notices.size() + "," + last(c).replaceFirst(",.*", ""));
            a = run(c, ALL + " LIMIT 3");
            say("own", "\"rows\":" + a.rows + ",\"notices\":" + a.notices.size());
            a = run(c, ALL + " LIMIT ?", 12);
            say("clamped", "\"rows\":" + a.rows + ",\"notices\":" + a.notices.size());
        }
        try (Connection c = open(); PreparedStatement s = c.prepareStatement("SELECT n FROM parcels WHERE n > ? ORDER BY n")) {
            int cut = 0, whole = 0, notices = 0;
            for (int i = 0; i < 16; i++) {
                s.setInt(1, i % 2 == 0 ? 2 : 9);
                s.execute();
                Answer a = new Answer(s);
                notices += a.notices.size();
                if (i % 2 == 0 && a.rows.equals(List.of(3L, 4L, 5L, 6L, 7L))) cut++;
                if (i % 2 == 1 && a.rows.equals(List.of(10L, 11L, 12L))) whole++;
            }
            say("prepared", "\"cut\":" + cut + ",\"whole\":" + whole + ",\"notices\":" + notices);
        }
        try (Connection c = open()) {
            c.setAutoCommit(false);
            run(c, "DECLARE pages CURSOR FOR " + ALL);
            List<List<Long>> pages = new ArrayList<>();
            for (int i = 0; i < 3; i++) pages.add(run(c, "FETCH 4 FROM pages").rows);
            run(c, "DECLARE rest CURSOR FOR " + ALL);
            say("cursor", "\"pages\":" + pages + ",\"all\":" + run(c, "FETCH ALL FROM rest").rows + ",\"next\":" + run(c, "FETCH NEXT FROM rest").rows);
            c.rollback();
            try (PreparedStatement s = c.prepareStatement(ALL)) {
                s.setFetchSize(2);
                ResultSet r = s.executeQuery();
                List<Long> rows = read(r);
                int notices = 0;
                for (SQLWarning w = s.getWarnings(); w != null; w = w.getNextWarning()) notices++;
                for (SQLWarning w = r.getWarnings(); w != null; w = w.getNextWarning()) notices++;
                say("fetch_size", "\"rows\":" + rows + ",\"notices\":" + notices);
            }
            c.rollback();
        }
        try (Connection c = open(); PreparedStatement s = c.prepareStatement(ALL)) {
            Answer a;
            if (!args[0].equals("simple")) {
                s.setMaxRows(3);
                s.execute();
                a = new Answer(s);
                say("max_rows", "\"rows\":" + a.rows + ",\"notices\":" + a.notices.size());
            }
            s.setMaxRows(9);
            s.execute();
            a = new Answer(s);
            say("max_rows_above", "\"rows\":" + a.rows + ",\"notices\":" + a.notices.size());
        }
        try (Connection c = open()) {
            run(c, ALL);
            say("error", "\"code\":" + quote(code(c, "SELECT 1/0")) + ",\"rows\":" + run(c, "SELECT 7").rows);
            c.setAutoCommit(false);
            run(c, ALL);
            String codes = "[" + quote(code(c, "SELECT 1/0")) + "," + quote(code(c, "SELECT 7")) + "]";
            c.rollback();
            say("transaction", "\"codes\":" + codes + ",\"rows\":" + run(c, "SELECT 7").rows);
        }
        try (Connection c = open()) {
            Answer a = run(c, "INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n");
            say("returning", "\"rows\":" + a.rows + ",\"stored\":" + run(c, "SELECT count(*) FROM shelves").rows.get(0) + ",\"notices\":" + a.notices.size());
            try (Statement s = c.createStatement()) {
                s.execute("SHOW ALL");
                int rows = 0, notices = 0;
                for (ResultSet r = s.getResultSet(); r.next(); ) rows++;
                for (SQLWarning w = s.getWarnings(); w != null; w = w.getNextWarning()) notices++;
                say("guard", "\"rows\":" + rows + ",\"notices\":" + notices);
            }
            CopyManager copy = new CopyManager(c.unwrap(BaseConnection.class));
            String refused = null;
            try {
                copy.copyOut("COPY parcels TO STDOUT", new java.io.StringWriter());
            } catch (SQLException e) {
                refused = e.getSQLState();
            }
            say("copy_out", "\"code\":" + quote(refused) + ",\"rows\":" + run(c, "SELECT 7").rows);
            copy.copyIn("COPY shelves FROM STDIN", new java.io.StringReader("101\n102\n"));
            say("copy_in", "\"stored\":" + run(c, "SELECT count(*) FROM shelves WHERE n > 100").rows.get(0));
        }
        // pgjdbc sends the statements of one text as one pipeline, or as one simple query.
        for (String check : List.of("script", "pipeline")) {
            try (Connection c = open(); Statement s = c.createStatement()) {
                boolean more = s.execute(check.equals("script") ? ALL + "; SELECT 7"
                    : ALL + "; SELECT n FROM parcels WHERE n = 7; SELECT n FROM parcels WHERE n > 6 ORDER BY n");
                List<List<Long>> results = new ArrayList<>();
                for (; more; more = s.getMoreResults(Statement.KEEP_CURRENT_RESULT)) results.add(read(s.getResultSet()));
                int notices = 0;
                for (SQLWarning w = s.getWarnings(); w != null; w = w.getNextWarning()) notices++;
                say(check, "\"rows\":" + results + ",\"notices\":" + notices);
            }
        }
    }
}
