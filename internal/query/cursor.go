package query

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strconv"
)

// Cursors writes and reads cursors, by which a caller reads on where an answer ended.
// They are signed and hold what is needed, so that nothing has to be remembered:
// whoever has the same key resumes them.
type Cursors struct {
	// Key has at least 16 bytes.
	Key []byte
}

// Place is where a cursor points.
type Place struct {
	// Offset is the number of rows before the next one.
	Offset uint64
	// Limit is the limit that was given with the first call, 0 for none.
	Limit uint64
	// After is Request.After.
	After []Param
}

// macSize is the length of a cursor's signature in bytes.
const macSize = 16

// cursorVersion is the first byte of every cursor.
const cursorVersion = 1

// ErrCursor says that a cursor is not one of this call's.
var ErrCursor = errors.New("the cursor does not belong to this call: it was altered, or was given out for another tool, statement, source or user, other parameters or by a server with another key; use the same arguments as in the call that returned it, or leave it out to begin with the first row")

// Write returns the cursor of a place. Its signature covers what the call is bound to.
func (c Cursors) Write(p Place, bound []byte) string {
	b := []byte{cursorVersion}
	b = binary.AppendUvarint(b, p.Offset)
	b = binary.AppendUvarint(b, p.Limit)
	for _, v := range p.After {
		kind := byte(0)
		if v.Number {
			kind = 1
		}
		b = append(b, kind)
		b = binary.AppendUvarint(b, uint64(len(v.Text)))
		b = append(b, v.Text...)
	}
	return base64.RawURLEncoding.EncodeToString(append(b, c.sign(b, bound)...))
}

// Read reads a cursor of a call that is bound to the same. The error is ErrCursor.
func (c Cursors) Read(cursor string, bound []byte) (Place, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) < 1+macSize || b[0] != cursorVersion {
		return Place{}, ErrCursor
	}
	signed, mac := b[:len(b)-macSize], b[len(b)-macSize:]
	if subtle.ConstantTimeCompare(mac, c.sign(signed, bound)) != 1 {
		return Place{}, ErrCursor
	}
	offset, n := binary.Uvarint(signed[1:])
	if n <= 0 {
		return Place{}, ErrCursor
	}
	limit, m := binary.Uvarint(signed[1+n:])
	if m <= 0 {
		return Place{}, ErrCursor
	}
	p := Place{Offset: offset, Limit: limit}
	for rest := signed[1+n+m:]; len(rest) > 0; {
		size, k := binary.Uvarint(rest[1:])
		if k <= 0 || size > uint64(len(rest)-1-k) {
			return Place{}, ErrCursor
		}
		p.After = append(p.After, Param{Text: string(rest[1+k : 1+k+int(size)]), Number: rest[0] == 1})
		rest = rest[1+k+int(size):]
	}
	return p, nil
}

// Resume has a request begin where the cursor of the page before points.
func (c Cursors) Resume(q *Request, cursor string, bound []byte) error {
	at, err := c.Read(cursor, bound)
	switch {
	case err != nil:
		return err
	case q.Offset > 0:
		return errors.New("cursor and offset were both given: a cursor has an offset of its own, leave out offset")
	case q.Limit != 0 && q.Limit != at.Limit:
		return errors.New("the limit is not that of the call that returned the cursor: use the same one, or leave out the cursor to begin with the first row")
	}
	q.Offset, q.Limit, q.After = at.Offset, at.Limit, at.After
	return nil
}

// Next returns the cursors of the rows from an offset on, behind some of those that answer
// the request.
func (c Cursors) Next(q Request, a Answer, bound []byte) func(offset uint64) string {
	return func(offset uint64) string {
		return c.Write(Place{Offset: offset, Limit: q.Limit, After: a.KeyAt(int(offset-a.Offset) - 1)}, bound)
	}
}

func (c Cursors) sign(b, bound []byte) []byte {
	h := hmac.New(sha256.New, c.Key)
	h.Write(bound)
	h.Write(b)
	return h.Sum(nil)[:macSize]
}

// Bound is a digest of what a cursor holds for, each part with its length: the tool, the
// source, the user, and the request without its limit and offset.
func Bound(tool, identity, user string, q Request) []byte {
	h := sha256.New()
	part := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	for _, s := range []string{"rowcap cursor", tool, identity, user, q.SQL, strconv.Itoa(len(q.Stages)), strconv.Itoa(len(q.Params))} {
		part(s)
	}
	for _, s := range q.Stages {
		part(s.Name)
		part(s.SQL)
		part(strconv.FormatUint(s.Limit, 10))
	}
	for _, p := range q.Params {
		part(strconv.FormatBool(p.Null) + strconv.FormatBool(p.Number))
		part(p.Text)
	}
	return h.Sum(nil)
}
