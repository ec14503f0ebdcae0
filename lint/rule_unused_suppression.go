package lint

var unusedSuppression = Rule{
	Code: "RC901", Name: "unused-suppression", Severity: SeverityWarning,
	Summary: "A comment rowcap:ignore suppresses nothing, names no rule, or gives no reason.",
	Why:     "What suppresses nothing hides the next finding of that rule. A reason lets the next reader judge whether it still holds.",
	Bad:     "-- rowcap:ignore unbounded-select a small table\nSELECT id FROM countries ORDER BY id LIMIT 10",
	Good:    "-- rowcap:ignore unbounded-select a small table\nSELECT id FROM countries ORDER BY id",
}
