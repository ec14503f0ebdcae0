package query

import (
	"net/url"
	"strings"
)

// hidden stands in the place of what is not shown.
const hidden = "(hidden)"

// HideSecrets returns a text as it may be shown: a DSN without its passwords, and any
// other text as it is.
func HideSecrets(text string) string {
	switch {
	case kind(text) == "":
		return text
	case !strings.Contains(text, "://"):
		if strings.Contains(strings.ToLower(text), "password") {
			return hidden
		}
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return hidden
	}
	params := u.Query()
	for name := range params {
		if strings.Contains(strings.ToLower(name), "password") {
			params.Set(name, "xxxxx")
			u.RawQuery = params.Encode()
		}
	}
	return u.Redacted()
}

// WithPassword returns a DSN with a password that was kept elsewhere. The error is a
// *DSNError.
func WithPassword(dsn, password string) (string, error) {
	if kind(dsn) == "" {
		return "", errNoKind
	}
	if !strings.Contains(dsn, "://") {
		return dsn + " password='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(password) + "'", nil
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return "", &DSNError{"it is no URL; percent-encode special characters in the user"}
	}
	if _, has := u.User.Password(); has {
		return "", &DSNError{"it holds a password, and another is given beside it: leave out one"}
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String(), nil
}

// Identity returns what tells one database and login from another: the DSN without
// passwords, which change.
func Identity(dsn string) string { return HideSecrets(dsn) }
