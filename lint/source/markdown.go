package source

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// fences are the names of languages behind which SQL stands in a page, and the
// dialects that they name.
var fences = map[string]string{"sql": "", "postgres": "postgres", "postgresql": "postgres", "pgsql": "postgres", "psql": "postgres",
	"plpgsql": "postgres", "mysql": "mysql", "mariadb": "mariadb"}

// Markdown returns the fenced blocks of SQL of a page, also in lists and quotations. A
// second word behind the fence names the dialect: ```sql mysql
func Markdown(f *File) []*Script {
	var p page
	for n := range f.lines {
		end := len(f.Text)
		if n+1 < len(f.lines) {
			end = f.lines[n+1]
		}
		p.line(f.Text, f.lines[n], end)
	}
	if p.open != nil { // a fence that is left open reaches to the end
		p.close(len(f.Text))
	}
	return p.scripts
}

// page is how far the reading of a page is.
type page struct {
	scripts []*Script
	open    *Script // the block of SQL that is read, nil for none
	fence   string  // of the block that is read, "" outside of blocks
	quoted  int     // how many > stand before the lines of the block
	items   []int   // where the text of the list items that are open is indented to
}

// line reads the line [start, end) of the text.
func (p *page) line(text string, start, end int) {
	line := strings.TrimRight(text[start:end], "\r\n")
	body, marks := unquote(line, p.quoted, p.fence != "")
	if p.fence != "" && marks < p.quoted { // the quotation ends, and the block with it
		p.close(start)
		body, _ = unquote(line, 0, false)
	}
	trimmed := strings.TrimLeft(body, " ")
	run := fenceOf(trimmed)
	if p.fence != "" {
		if len(run) >= len(p.fence) && run[0] == p.fence[0] && strings.TrimSpace(trimmed[len(run):]) == "" {
			p.close(start)
			return
		}
		if cut := len(line) - len(body); p.open != nil && cut > 0 {
			at := start - p.open.Start
			p.open.Edits = append(p.open.Edits, rewrite.Edit{Start: at, End: at + cut})
		}
		return
	}
	if trimmed == "" {
		return
	}
	indent := p.item(body)
	trimmed = body[indent:]
	run = fenceOf(trimmed)
	info := trimmed[len(run):]
	if len(run) < 3 || run[0] == '`' && strings.Contains(info, "`") || indent-p.indent() > 3 {
		return
	}
	p.fence, p.quoted = run, marks
	words := strings.Fields(info)
	if len(words) == 0 {
		return
	}
	if dialect, ok := fences[language(words[0])]; ok {
		p.open = &Script{Start: end, Dialect: dialect}
		if len(words) > 1 {
			if named := fences[language(words[1])]; named != "" {
				p.open.Dialect = named
			}
		}
	}
}

// close ends the block that is read before an offset.
func (p *page) close(end int) {
	if p.open != nil {
		p.open.End = end
		p.scripts = append(p.scripts, p.open)
	}
	p.fence, p.quoted, p.open = "", 0, nil
}

// indent is how far the text of the innermost list item is indented.
func (p *page) indent() int {
	if len(p.items) == 0 {
		return 0
	}
	return p.items[len(p.items)-1]
}

// item follows the list items that a line ends and begins, and returns where its text
// begins.
func (p *page) item(body string) int {
	at := len(body) - len(strings.TrimLeft(body, " "))
	for len(p.items) > 0 && p.indent() > at {
		p.items = p.items[:len(p.items)-1]
	}
	for at-p.indent() <= 3 {
		mark := bullet(body[at:])
		rest := body[at+mark:]
		blank := len(rest) - len(strings.TrimLeft(rest, " "))
		if mark == 0 || blank == 0 || blank > 4 {
			break
		}
		at += mark + blank
		p.items = append(p.items, at)
	}
	return at
}

// bullet returns the length of the mark of a list item that a text begins with.
func bullet(text string) int {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	switch {
	case digits == len(text):
	case digits == 0 && strings.IndexByte("-+*", text[0]) >= 0:
		return 1
	case digits > 0 && digits < 10 && (text[digits] == '.' || text[digits] == ')'):
		return digits + 1
	}
	return 0
}

// unquote takes the marks of quotations off a line, at most a number of them within a
// block.
func unquote(line string, most int, within bool) (body string, marks int) {
	body = line
	for !within || marks < most {
		rest := strings.TrimLeft(body, " ")
		if len(body)-len(rest) > 3 || !strings.HasPrefix(rest, ">") {
			break
		}
		body = strings.TrimPrefix(rest[1:], " ")
		marks++
	}
	return body, marks
}

// fenceOf returns the backquotes or tildes that a text begins with.
func fenceOf(text string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, mark)); n > 0 {
			return text[:n]
		}
	}
	return ""
}

// language returns the name of a language without what tools write around it: {.sql},
// sql,ignore, sql{1,3}.
func language(word string) string {
	word = strings.TrimPrefix(strings.TrimPrefix(word, "{"), ".")
	return strings.ToLower(word[:wordEnd(word)])
}
