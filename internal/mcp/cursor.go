package mcp

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strconv"

	"github.com/rowcap/rowcap/internal/query"
)

// place is where a cursor points: the next row, and the limit that was given with
// the first call, 0 for none.
type place struct{ offset, limit uint64 }

// macSize is the length of a cursor's signature in bytes.
const macSize = 16

// cursorVersion is the first byte of every cursor.
const cursorVersion = 1

// errCursor says that a cursor is not one of this call's.
var errCursor = errors.New("the cursor does not belong to this call: it was altered, or was given out for another tool, statement, source, other parameters or by a server with another key; use the same arguments as in the call that returned it, or leave it out to begin with the first row")

// cursor writes a place. The signature covers what the call is bound to, so that
// nothing has to be remembered.
func (c Config) cursor(p place, bound []byte) string {
	b := []byte{cursorVersion}
	b = binary.AppendUvarint(b, p.offset)
	b = binary.AppendUvarint(b, p.limit)
	return base64.RawURLEncoding.EncodeToString(append(b, c.sign(b, bound)...))
}

// place reads a cursor.
func (c Config) place(cursor string, bound []byte) (place, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) < 1+macSize || b[0] != cursorVersion {
		return place{}, errCursor
	}
	signed, mac := b[:len(b)-macSize], b[len(b)-macSize:]
	if subtle.ConstantTimeCompare(mac, c.sign(signed, bound)) != 1 {
		return place{}, errCursor
	}
	offset, n := binary.Uvarint(signed[1:])
	if n <= 0 {
		return place{}, errCursor
	}
	limit, m := binary.Uvarint(signed[1+n:])
	if m <= 0 || 1+n+m != len(signed) {
		return place{}, errCursor
	}
	return place{offset, limit}, nil
}

func (c Config) sign(b, bound []byte) []byte {
	h := hmac.New(sha256.New, c.CursorKey)
	h.Write(bound)
	h.Write(b)
	return h.Sum(nil)[:macSize]
}

// bound is a digest of what a cursor holds for: each part with its length.
func bound(tool, identity string, q query.Request) []byte {
	h := sha256.New()
	part := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	for _, s := range []string{"rowcap cursor", tool, identity, q.SQL, strconv.Itoa(len(q.Stages)), strconv.Itoa(len(q.Params))} {
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
