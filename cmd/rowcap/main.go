// Command rowcap holds the results of SQL statements to a row cap and always
// says whether rows are missing.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: standardError()}))
}
