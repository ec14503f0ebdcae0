package pgwire_test

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// conversation turns bytes into what a client says: three bytes for each message.
func conversation(b []byte) (all []pgproto3.FrontendMessage) {
	names := []string{"", "a", "b"}
	texts := modelTexts()
	for ; len(b) >= 3 && len(all) < 40; b = b[3:] {
		x, y := int(b[1]), int(b[2])
		name, other := names[x%3], names[y%3]
		switch b[0] % 12 {
		case 0, 1:
			all = append(all, &pgproto3.Query{String: texts[x%len(texts)]})
		case 2:
			all = append(all, &pgproto3.Query{String: texts[x%len(texts)] + "; " + texts[y%len(texts)]})
			if text := all[len(all)-1].(*pgproto3.Query).String; strings.Contains(text, "BEGIN") || strings.Contains(text, "COMMIT") || strings.Contains(text, "ROLLBACK") {
				all = all[:len(all)-1] // blocks within one text are another matter
			}
		case 3, 4:
			all = append(all, &pgproto3.Parse{Name: name, Query: texts[y%len(texts)]})
		case 5, 6:
			all = append(all, &pgproto3.Bind{DestinationPortal: name, PreparedStatement: other})
		case 7:
			all = append(all, &pgproto3.Describe{ObjectType: "SP"[y/3%2], Name: name})
		case 8, 9:
			all = append(all, &pgproto3.Execute{Portal: name, MaxRows: uint32(y % 8)})
		case 10:
			all = append(all, &pgproto3.Close{ObjectType: "SP"[y/3%2], Name: name})
		case 11:
			all = append(all, &pgproto3.Sync{})
		}
	}
	return append(all, &pgproto3.Sync{})
}

// modelTexts are the statements of a conversation.
func modelTexts() []string {
	texts := []string{"BEGIN", "COMMIT", "ROLLBACK", "broken SELECT", "SELECT n FROM nowhere"}
	for _, rows := range []int{0, 1, 4, 5, 6, 7, 8, 9} {
		texts = append(texts, fmt.Sprintf("SELECT n FROM r%d", rows), fmt.Sprintf("SELECT n FROM f%d", rows), fmt.Sprintf("INSERT INTO w SELECT n FROM r%d RETURNING n", rows))
		for _, limit := range []int{0, 3, 5, 7, 9} {
			texts = append(texts, fmt.Sprintf("SELECT n FROM r%d LIMIT %d", rows, limit), fmt.Sprintf("SELECT n FROM f%d LIMIT %d", rows, limit))
		}
	}
	return texts
}
