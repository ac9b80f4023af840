#!/usr/bin/env perl
# A bot for every game of the referee, on stdin and stdout, with core modules alone. README.md says how to run it.
use strict;
use warnings;
use JSON::PP;

my $mode = shift // 'random';
my $json = JSON::PP->new->utf8->canonical;
$| = 1;    # every line goes out at once

# Your idea goes here: return one of the legal actions.
sub choose {
    my ($ask) = @_;
    my @legal = @{ $ask->{legal} };
    return $mode eq 'first' ? $legal[0] : $legal[ rand @legal ];
}

sub say_it { print $json->encode( {@_} ), "\n" }

sub hello {
    my $token = $ENV{REFEREE_TOKEN};
    say_it(
        type     => 'hello',
        protocol => [1],
        name     => 'perl',
        wants    => ['legal'],
        capacity => 64,    # with nothing to remember, many matches at once are easy
        defined $token && length $token ? ( token => $token ) : (),
    );
}

my %hear = (
    start => sub { say_it( type => 'ready', match => $_[0]{match} ) },
    ask   => sub {
        my ($ask) = @_;
        say_it( type => 'act', match => $ask->{match}, id => $ask->{id}, action => choose($ask) );
    },
    ping   => sub { say_it( type => 'pong', n => $_[0]{n} // 0 ) },
    refuse => sub { exit 2 },
    bye    => sub { exit 0 },
);

hello() unless $mode eq 'echo';
while ( my $line = <STDIN> ) {
    my $message = $json->decode($line);
    if ( $mode eq 'echo' ) {    # for tests: what was read, written again
        say_it(%$message);
    }
    elsif ( my $answer = $hear{ $message->{type} } ) {
        $answer->($message);
    }
}
