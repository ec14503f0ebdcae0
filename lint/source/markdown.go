package source

import "strings"

// fences are the names of languages behind which SQL stands in a page, and the
// dialects that they name.
var fences = map[string]string{"sql": "", "postgres": "postgres", "postgresql": "postgres", "pgsql": "postgres", "psql": "postgres",
	"plpgsql": "postgres", "mysql": "mysql", "mariadb": "mariadb"}

// Markdown returns the fenced blocks of SQL of a page. A second word behind the fence
// names the dialect: ```sql mysql
func Markdown(f *File) []*Script {
	var scripts []*Script
	var open *Script // the block that is read, nil for none
	fence, inside := "", false
	for n := range f.lines {
		start := f.lines[n]
		end := len(f.Text)
		if n+1 < len(f.lines) {
			end = f.lines[n+1]
		}
		line := strings.TrimRight(f.Text[start:end], "\r\n")
		trimmed := strings.TrimLeft(line, " ")
		marks := len(trimmed) - len(strings.TrimLeft(trimmed, "`"))
		if marks == 0 {
			marks = len(trimmed) - len(strings.TrimLeft(trimmed, "~"))
		}
		switch {
		case inside && marks >= len(fence) && trimmed[0] == fence[0] && strings.TrimSpace(trimmed[marks:]) == "":
			if open != nil {
				open.End = start
				scripts = append(scripts, open)
			}
			inside, open = false, nil
		case !inside && marks >= 3 && len(line)-len(trimmed) <= 3:
			inside, fence = true, trimmed[:marks]
			words := strings.Fields(trimmed[marks:])
			if len(words) == 0 {
				continue
			}
			if dialect, ok := fences[strings.ToLower(words[0])]; ok {
				open = &Script{Start: end, Dialect: dialect}
				if len(words) > 1 {
					if named, ok := fences[strings.ToLower(words[1])]; ok && named != "" {
						open.Dialect = named
					}
				}
			}
		}
	}
	if open != nil { // a fence that is left open reaches to the end
		open.End = len(f.Text)
		scripts = append(scripts, open)
	}
	return scripts
}
