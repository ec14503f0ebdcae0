package query

// Match reports that a text matches a pattern, in which many stands for any number
// of characters and one for a single character (0 if there is no such character). It
// takes time in proportion to the product of their lengths at most.
func Match(pattern, text string, many, one rune) bool {
	p, t := []rune(pattern), []rune(text)
	star, from := -1, 0 // the latest many, and where in t it ends for now
	i, j := 0, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == many:
			star, from = i, j
			i++
		case i < len(p) && (p[i] == t[j] || one != 0 && p[i] == one):
			i++
			j++
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == many {
		i++
	}
	return i == len(p)
}
