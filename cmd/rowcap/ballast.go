package main

// ballastBytes is how much the collector takes the program to hold before it holds
// anything.
const ballastBytes = 16 << 20

// ballast returns memory that is never touched, and so takes none of the machine's, but
// counts for the collector: it comes by when the heap has doubled. A sidecar holds a few
// megabytes and hardly anything of a transaction outlives it, so that without this the
// collector would come by many times a second to find next to nothing. What is added to
// the memory taken is twice this at most, where GOGC=400 would multiply all of it.
func ballast() []byte { return make([]byte, ballastBytes) }
