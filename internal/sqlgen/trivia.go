package sqlgen

import "strings"

// decorate puts white space, comments, hints and odd letter cases into the gaps
// between tokens.
func (g *gen) decorate(s Statement) Statement {
	rich := !g.Plain && g.chance(50)
	for i := range s.Tokens {
		t := &s.Tokens[i]
		switch {
		case t.Glued:
		case i == 0:
			if rich && g.chance(30) {
				t.Before = g.trivia()
			}
		case rich && g.chance(25):
			t.Before = g.trivia()
			if i > 0 && operator(s.Tokens[i-1].Text) {
				t.Before = " " + t.Before // or a comment would begin in the operator
			}
		case !rich || !g.chance(30) || !mayTouch(s.Tokens[i-1].Text, t.Text):
			t.Before = " "
		}
		if rich && g.chance(15) && isKeyword(t.Text) {
			t.Text = strings.ToLower(t.Text)
		}
	}
	if rich {
		g.hint(s.Tokens)
		if !g.postgres() {
			g.executable(&s)
		}
	}
	if g.chance(20) {
		s.Tail += g.pick(";", " ;", "; ")
	}
	if rich && g.chance(40) {
		s.Tail += g.pick("\n", "/* LIMIT 2 */", " -- LIMIT 2\n", " ")
	}
	if rich && g.postgres() && g.chance(20) {
		s.Tail += g.pick("/* end */;", ";;", " -- the end")
	}
	return s
}

func operator(s string) bool { return strings.ContainsAny(s[len(s)-1:], "+-*/<>=|!") }

// isKeyword reports an upper-case word, which is a keyword in what is drawn here.
func isKeyword(s string) bool {
	for i := range len(s) {
		if (s[i] < 'A' || s[i] > 'Z') && s[i] != '_' {
			return false
		}
	}
	return true
}

// trivia draws white space or comments that separate two tokens.
func (g *gen) trivia() string {
	comments := []string{" ", "  ", "\n", "\t", "\r\n", "/**/", " /* c */ ", " -- LIMIT 3\n", " /* LIMIT 3 ' \" ` */ ", "/*;*/", " --\n", "\n-- it's\n", " /***/ ", "/* -- */"}
	if g.postgres() {
		comments = append(comments, "/* a /* nested */ b */", "--no blank\n", " /* $$ */ ", "\f", " /*/**/*/ ")
		if g.Version >= 170000 {
			comments = append(comments, "\v", " \v\n")
		}
	} else {
		comments = append(comments, " # LIMIT 3\n", "#\n", " /*T! LIMIT 3 */ ", " /*!99999 LIMIT 3 */ ", "/* /* */")
		if g.mysql() {
			comments = append(comments, " /*M! LIMIT 3 */ ", " /*M!100100 LIMIT 3 */ ")
		} else {
			comments = append(comments, " /*!50701 LIMIT 3 */ ", " /*M!999999 LIMIT 3 */ ")
		}
	}
	return comments[g.upTo(len(comments))]
}

// hint puts an optimizer hint behind the first SELECT.
func (g *gen) hint(tokens []Token) {
	if !g.chance(15) {
		return
	}
	for i, t := range tokens {
		if strings.EqualFold(t.Text, "SELECT") && i+1 < len(tokens) {
			tokens[i+1].Before = " " + g.pick("/*+ NO_ICP(t) */", "/*+ MAX_EXECUTION_TIME(100000) */", "/*+ SeqScan(t) */") + " "
			return
		}
	}
}

// executable wraps some tokens in a comment that the server reads as code.
func (g *gen) executable(s *Statement) {
	if !g.chance(25) || len(s.Tokens) < 4 {
		return
	}
	from := 1 + g.upTo(len(s.Tokens)-2)
	to := min(from+1+g.upTo(8), len(s.Tokens)) // behind the last one inside
	if g.chance(40) && s.count.to > s.count.from {
		from, to = s.count.from-1, s.count.to // LIMIT n
	}
	for _, at := range []int{from, to} {
		if at > s.count.from && at < s.count.to || at > s.offset.from && at < s.offset.to || at < len(s.Tokens) && s.Tokens[at].Glued {
			return
		}
	}
	for i := from; i <= to && i < len(s.Tokens); i++ {
		if strings.Contains(s.Tokens[i].Before, "/*") || i > from && i < to && strings.Contains(s.Tokens[i].Text, "*/") {
			return
		}
		if strings.Contains(s.Tokens[i].Text, "*/") {
			return
		}
	}
	open := g.pick("/*!", "/*!40100", "/*!50000")
	if g.mariadb() {
		open = g.pick("/*!", "/*!40100", "/*M!", "/*!100100", "/*M!100100")
	} else if g.chance(30) {
		open = g.pick("/*!50701", "/*!80000", "/*!90000")
	}
	s.Tokens[from].Before += open + " "
	if to == len(s.Tokens) {
		s.Tail = closing + s.Tail
		return
	}
	s.Tokens[to].Before = closing + s.Tokens[to].Before
}

// closing ends an executable comment.
const closing = " */"
