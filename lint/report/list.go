package report

import (
	"bytes"
	"encoding/json"
	"io"
)

// list writes a JSON array in the middle of a document, one item after another.
type list struct {
	out   io.Writer
	items int
}

// add writes one more item on a line of its own.
func (l *list) add(item any) error {
	b, err := encode(item)
	if err != nil {
		return err
	}
	mark := ",\n"
	if l.items == 0 {
		mark = "\n"
	}
	l.items++
	_, err = io.WriteString(l.out, mark+b)
	return err
}

// encode returns a value as JSON, <, > and & as they are.
func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return string(bytes.TrimRight(b.Bytes(), "\n")), nil
}
