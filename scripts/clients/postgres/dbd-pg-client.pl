# DBD::Pg: modes server (prepared on the server) and client (simple queries).
use strict;
use warnings;
use DBI;
use JSON::PP;

my $mode = $ARGV[0];
my $all  = "SELECT n FROM parcels ORDER BY n";
my @notices;
local $SIG{__WARN__} = sub { push @notices, $_[0] };
$| = 1;

sub session {
    @notices = ();
    return DBI->connect( "dbi:Pg:", undef, undef,
        { RaiseError => 1, PrintError => 0, PrintWarn => 1, AutoCommit => 1, pg_server_prepare => $mode eq "server" ? 1 : 0, pg_errorlevel => 2 } );
}

sub rows {
    my ( $db, $query, @values ) = @_;
    my $s = $db->prepare($query);
    $s->execute(@values);
    return [ map { $_->[0] + 0 } @{ $s->fetchall_arrayref } ];
}

sub code {
    my ( $db, $query ) = @_;
    return eval { rows( $db, $query ); undef } // ( $@ ? $db->state : undef );
}

sub last_answer {
    my $text = eval { $_[0]->selectrow_array("SHOW rowcap.last") };
    return defined $text ? decode_json($text) : {};
}

my $json = JSON::PP->new->canonical;
sub say_ { my ( $check, %got ) = @_; print $json->encode( { check => $check, got => \%got } ), "\n" }

my $db = session();
my $s  = $db->prepare($all);
$s->execute;
my $count = $s->rows + 0;
say_( "rows", rows => [ map { $_->[0] + 0 } @{ $s->fetchall_arrayref } ], count => $count );
my %lines;
for ( split /\n/, pop @notices ) { $lines{$1} = $2 if /^([A-Z]+):  (.*?)(?: at \S+ line \d+\.)?$/ }
my ( $state, $message ) = split /: /, $lines{WARNING}, 2;
say_( "notice", severity => "WARNING", code => $state, message => $message, detail => $lines{DETAIL}, hint => $lines{HINT} );
say_( "step", rows => rows( $db, "SELECT 7" ), notices => scalar @notices );
rows( $db, $all );
say_( "last", %{ last_answer($db) } );

$db = session();
my $rows = rows( $db, "SELECT n FROM parcels WHERE n <= 5 ORDER BY n" );
say_( "whole", rows => $rows, notices => scalar @notices, completeness => last_answer($db)->{completeness} );
$rows = rows( $db, "$all LIMIT 3" );
say_( "own", rows => $rows, notices => scalar @notices );
$rows = rows( $db, "$all LIMIT 12" );
say_( "clamped", rows => $rows, notices => scalar @notices );

$db = session();
my $above = $db->prepare("SELECT n FROM parcels WHERE n > ? ORDER BY n");
my ( $cut, $whole ) = ( 0, 0 );
for ( 1 .. 8 ) {
    $above->execute(2);
    $cut++ if join( ",", map { $_->[0] } @{ $above->fetchall_arrayref } ) eq "3,4,5,6,7";
    $above->execute(9);
    $whole++ if join( ",", map { $_->[0] } @{ $above->fetchall_arrayref } ) eq "10,11,12";
}
say_( "prepared", cut => $cut, whole => $whole, notices => scalar @notices );

$db = session();
$db->begin_work;
$db->do("DECLARE pages CURSOR FOR $all");
my @pages = map { rows( $db, "FETCH 4 FROM pages" ) } 1 .. 3;
$db->do("DECLARE rest CURSOR FOR $all");
$rows = rows( $db, "FETCH ALL FROM rest" );
say_( "cursor", pages => \@pages, all => $rows, next => rows( $db, "FETCH NEXT FROM rest" ) );
$db->rollback;

$db = session();
rows( $db, $all );
my $code = code( $db, "SELECT 1/0" );
say_( "error", code => $code, rows => rows( $db, "SELECT 7" ) );
$db->begin_work;
rows( $db, $all );
my @codes = map { code( $db, $_ ) } "SELECT 1/0", "SELECT 7";
$db->rollback;
say_( "transaction", codes => \@codes, rows => rows( $db, "SELECT 7" ) );

$db = session();
$s  = $db->prepare("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n");
$s->execute;
$rows  = [ map { $_->[0] + 0 } @{ $s->fetchall_arrayref } ];
say_( "returning", rows => $rows, stored => rows( $db, "SELECT count(*) FROM shelves" )->[0], notices => scalar @notices );

$db = session();
$s  = $db->prepare("SHOW ALL");
$s->execute;
$rows = @{ $s->fetchall_arrayref };
say_( "guard", rows => $rows, notices => scalar @notices );
$code = eval { $db->do("COPY parcels TO STDOUT"); undef } // ( $@ ? $db->state : undef );
say_( "copy_out", code => $code, rows => rows( $db, "SELECT 7" ) );
$db->do("COPY shelves FROM STDIN");
$db->pg_putcopydata("$_\n") for 101, 102;
$db->pg_putcopyend;
say_( "copy_in", stored => rows( $db, "SELECT count(*) FROM shelves WHERE n > 100" )->[0] );
