# DBD::MariaDB and DBD::mysql: the first argument is the driver, the second the mode:
# client (values in the text) or server (COM_STMT_EXECUTE).
use strict;
use warnings;
use DBI;
use JSON::PP;

my ( $driver, $mode ) = @ARGV;
my $prefix = lc $driver;
my $all    = "SELECT n FROM parcels ORDER BY n";
$| = 1;

sub session {
    my $dsn = join ";", "dbi:$driver:database=$ENV{MYSQL_DATABASE}", "host=$ENV{MYSQL_HOST}", "port=$ENV{MYSQL_TCP_PORT}", "${prefix}_multi_statements=1";
    return DBI->connect( $dsn, $ENV{MYSQL_USER}, $ENV{MYSQL_PWD},
        { RaiseError => 1, PrintError => 0, AutoCommit => 1, "${prefix}_server_prepare" => $mode eq "server" ? 1 : 0 } );
}

sub numbers { return [ map { $_->[0] + 0 } @{ $_[0]->fetchall_arrayref } ] }

sub run {
    my ( $db, $query, $value ) = @_;
    my $s = $db->prepare($query);
    $s->bind_param( 1, $value, DBI::SQL_INTEGER() ) if defined $value;
    $s->execute;
    return $s;
}

sub rows { return numbers( run(@_) ) }

# lists reads the results of a command that has several.
sub lists {
    my ( $db, $query ) = @_;
    my $s = run( $db, $query );
    my @lists;
    do { push @lists, numbers($s) if $s->{NUM_OF_FIELDS} } while $s->more_results;
    return \@lists;
}

sub fault {
    my ( $db, $query ) = @_;
    eval { run( $db, $query ) };
    return $@ ? ( code => $db->err + 0, state => $db->state ) : ();
}

# MySQL prepares no SHOW WARNINGS: in the mode server its error for that takes the
# place of its own warnings, and the driver then sends the text. The notices stay.
sub warnings_ { return $_[0]->selectall_arrayref( "SHOW WARNINGS", { "${prefix}_server_prepare" => 0 } ) }
sub told      { return scalar grep { $_->[1] == 61001 } @{ $_[0]->selectall_arrayref("SHOW WARNINGS") } }

sub unique { my %seen; return grep { !$seen{$_}++ } @_ }

my $json = JSON::PP->new->canonical;
sub say_ { my ( $check, %got ) = @_; print $json->encode( { check => $check, got => \%got } ), "\n" }

my $db    = session();
my $s     = run( $db, $all );
my $count = $s->rows + 0;
my $told  = $db->{"${prefix}_warning_count"} + 0;
say_( "rows", rows => numbers($s), count => $count );
say_( "notice", count => $told, level => $_->[0], code => $_->[1] + 0, message => $_->[2] ) for @{ warnings_($db) };
my $rows = rows( $db, "SELECT 7" );
say_( "step", rows => $rows, notices => told($db) );
rows( $db, "SELECT n FROM parcels WHERE n > 'x' ORDER BY n" );
say_( "merged", codes => [ unique( map { $_->[1] + 0 } @{ warnings_($db) } ) ] );
$rows = rows( $db, "SELECT n FROM parcels WHERE n <= ? ORDER BY n", 5 );
say_( "whole", rows => $rows, notices => told($db) );
$rows = rows( $db, "$all LIMIT ?", 3 );
say_( "own", rows => $rows, notices => told($db) );
$rows = rows( $db, "$all LIMIT ?", 12 );
say_( "clamped", rows => $rows, notices => told($db) );

my $above = $db->prepare("SELECT n FROM parcels WHERE n > ? ORDER BY n");
my ( $cut, $whole, $notices ) = ( 0, 0, 0 );
for ( 1 .. 8 ) {
    $above->execute(2);
    $cut++ if "@{ numbers($above) }" eq "3 4 5 6 7";
    $notices += told($db);
    $above->execute(9);
    $whole++ if "@{ numbers($above) }" eq "10 11 12";
    $notices += told($db);
}
$above->finish;
say_( "prepared", cut => $cut, whole => $whole, notices => $notices );

# The others cannot go on after such a result, without rowcap too.
if ( "$driver $mode" eq "mysql client" ) {
    $db = session();
    $s = $db->prepare( $all, { mysql_use_result => 1 } );
    $s->execute;
    $rows = [];
    while ( my $row = $s->fetchrow_arrayref ) { push @$rows, $row->[0] + 0 }
    $s->finish;
    $notices = told($db);
    say_( "stream", rows => $rows, notices => $notices, next => rows( $db, "SELECT 7" ) );
}

$db = session();
rows( $db, $all );
my %fault = fault( $db, "SELECT nothing" );
say_( "error", %fault, rows => rows( $db, "SELECT 7" ) );
$db->begin_work;
run( $db, "INSERT INTO shelves VALUES (1)" );
rows( $db, $all );
%fault = fault( $db, "INSERT INTO shelves VALUES (1)" );
my $before = rows( $db, "SELECT count(*) FROM shelves" )->[0];
$db->rollback;
say_( "transaction", code => $fault{code}, before => $before, after => rows( $db, "SELECT count(*) FROM shelves" )->[0] );

$db = session();
if ( $ENV{MYSQL_FLAVOR} eq "mariadb" ) {
    $rows = rows( $db, "INSERT INTO shelves SELECT n FROM parcels WHERE n <= 8 RETURNING n" );
    $notices = told($db);
    say_( "returning", rows => $rows, stored => rows( $db, "SELECT count(*) FROM shelves" )->[0], notices => $notices );
}
$rows = @{ run( $db, "SHOW VARIABLES" )->fetchall_arrayref };
say_( "guard", rows => $rows, notices => told($db) );
if ( $mode eq "client" ) {
    my $lists = lists( $db, "CALL lists()" );
    say_( "call", rows => $lists, notices => told($db) );
    $lists = lists( $db, "$all; SELECT 7" );
    say_( "script", rows => $lists, notices => told($db) );
}

$db = session();
$db->do("SET sql_select_limit = 3");
my $below         = rows( $db, $all );
my $below_notices = told($db);
$db->do("SET sql_select_limit = 9");
$rows    = rows( $db, $all );
$notices = told($db);
say_( "select_limit", below => $below, below_notices => $below_notices, above => $rows, above_notices => $notices, setting => rows( $db, "SELECT \@\@sql_select_limit" )->[0] );
