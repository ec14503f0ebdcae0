package source

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// branches are psql's \if … \elif … \else … \endif. Which branch psql takes is known
// at run time only, and a statement may begin before an \if and end behind it. So the
// script is read on several ways, until each branch was taken on one of them.
type branches struct {
	// way is the number of the way that is followed, 0 for the first.
	way int
	// conditions are all \if of the script, by their places, as the first way found
	// them.
	conditions map[int]*condition
	// open are those that are not closed yet, the innermost last.
	open []openCondition
	// saved is what had been read where a branch began that is not taken, kept the
	// number of statements there, and from where that was.
	saved      cutting
	kept, from int
	// deeper is how many \if are open beyond maxOpen.
	deeper int
}

// condition is one \if with its branches.
type condition struct {
	outer *condition // nil for none
	// takes are the branches that psql can take, by their numbers from 0; the last one is
	// that of no branch if there is no \else.
	takes []int
}

// openCondition is an \if that is being read.
type openCondition struct {
	*condition
	branch int // the number of the branch that is read
	takes  int // that of the branch that is taken, -1 if it is not known yet
	// way is what is left of the way's number for the conditions within.
	way int
	// settled reports that a branch before is taken for certain.
	settled bool
}

const (
	// maxWays is how many ways through a script are followed at most.
	maxWays = 32
	// maxOpen is how many \if may stand within each other; those within are taken for read.
	maxOpen = 64
)

// isBranch reports psql's commands that begin or end a branch.
func isBranch(command string) bool {
	return slices.Contains([]string{"if", "elif", "else", "endif"}, command)
}

// branch reads such a command and returns where to go on.
func (c *splitter) branch(name string, at, end int) int {
	if next := strings.IndexByte(c.text[at+1:end], '\\'); next >= 0 { // another command on the line
		end = at + 1 + next
	}
	taken := c.taken()
	switch {
	case name == "if" && len(c.open) == maxOpen:
		c.deeper++
	case name == "endif" && c.deeper > 0:
		c.deeper--
		c.turn(taken, at, end)
		return max(end, at+1)
	case name == "if":
		c.begins(at)
	case c.deeper == 0 && len(c.open) > 0:
		top := &c.open[len(c.open)-1]
		top.branch++
		if name == "endif" {
			if !top.settled { // no \else: psql may take none
				c.offers(top)
			}
			c.open = c.open[:len(c.open)-1]
		}
	}
	if name != "endif" && c.deeper == 0 && len(c.open) > 0 {
		c.depends(&c.open[len(c.open)-1], strings.TrimSpace(c.text[at+1+len(name):end]), name == "else")
	}
	c.turn(taken, at, end)
	return max(end, at+1)
}

// begins opens a condition.
func (c *splitter) begins(at int) {
	o := openCondition{takes: -1, way: c.way}
	var outer *condition
	if len(c.open) > 0 {
		top := c.open[len(c.open)-1]
		outer, o.way = top.condition, top.way
	}
	if c.way == 0 {
		if c.conditions == nil {
			c.conditions = map[int]*condition{}
		}
		c.conditions[at] = &condition{outer: outer}
	}
	o.condition = c.conditions[at]
	if o.condition == nil { // data on another way
		o.condition = &condition{takes: []int{0}}
	}
	if c.way > 0 {
		n := len(o.condition.takes)
		o.takes, o.way = o.condition.takes[o.way%n], o.way/n
	}
	c.open = append(c.open, o)
}

// depends reads what the branch that begins depends on.
func (c *splitter) depends(o *openCondition, value string, isElse bool) {
	switch {
	case o.settled:
	case isElse, isTrue(value):
		c.offers(o)
		o.settled = true
	case !isFalse(value):
		c.offers(o)
	}
}

// offers notes that the branch that is read can be taken. The first way takes the
// first one that can.
func (c *splitter) offers(o *openCondition) {
	if c.way > 0 {
		return
	}
	o.condition.takes = append(o.condition.takes, o.branch)
	if o.takes < 0 {
		o.takes = o.branch
	}
}

// isTrue and isFalse tell values that say so themselves (psql's ParseVariableBool).
func isTrue(value string) bool {
	return slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(value))
}
func isFalse(value string) bool {
	return slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(value))
}

// taken reports that what is read here is read by psql on this way.
func (c *splitter) taken() bool {
	return !slices.ContainsFunc(c.open, func(o openCondition) bool { return o.branch != o.takes })
}

// turn goes over a command of a branch that stands at [at, end). What is not taken is
// read all the same, and then forgotten.
func (c *splitter) turn(taken bool, at, end int) {
	from := at
	switch {
	case taken && !c.taken():
		c.saved, c.kept, c.from = c.cutting, len(c.out.Statements), at
		c.saved.seen, c.saved.blocks = slices.Clone(c.seen), slices.Clone(c.blocks)
	case !taken && c.taken():
		c.cutting, c.out.Statements, from = c.saved, c.out.Statements[:c.kept], c.from
	}
	if c.count > 0 {
		c.hide(from, end, "")
	} else {
		c.begin = end
	}
}

// endBranches closes what is open at the end of the text.
func (c *splitter) endBranches() {
	taken := c.taken()
	for i := range c.open {
		if o := &c.open[i]; len(o.condition.takes) == 0 {
			o.branch++
			c.offers(o)
		}
	}
	c.open = nil
	if !taken {
		c.turn(false, len(c.text), len(c.text))
	}
}

// ways is how many ways through the script take each branch at least once, more than
// maxWays if there are more.
func (b branches) ways() int {
	ways := 1
	for _, c := range b.conditions {
		n := 1
		for ; c != nil && n <= maxWays; c = c.outer {
			n *= len(c.takes)
		}
		ways = max(ways, n)
	}
	return ways
}

// addOtherWays adds the statements that ways through a script have beside the first,
// each once.
func (c *splitter) addOtherWays(begin cutting) {
	ways := c.ways()
	if ways > maxWays {
		ways = maxWays
		c.out.Unread = "more than " + strconv.Itoa(maxWays) + " ways lead through its \\if: some branches are not looked at"
	}
	if ways == 1 {
		return
	}
	known := map[string]bool{}
	for i := range c.out.Statements {
		known[c.out.Statements[i].key()] = true
	}
	for way := 1; way < ways; way++ {
		out := &Script{Quote: c.out.Quote, Named: c.out.Named}
		other := splitter{cutting: begin, postgres: c.postgres, text: c.text, out: out, delimiter: ";", branches: branches{way: way, conditions: c.conditions}}
		other.read()
		for _, st := range out.Statements {
			if key := st.key(); !known[key] {
				known[key] = true
				c.out.Statements = append(c.out.Statements, st)
			}
		}
	}
	slices.SortStableFunc(c.out.Statements, func(a, b Statement) int { return a.Start - b.Start })
}

// key is what tells statements of one script apart.
func (s *Statement) key() string { return fmt.Sprint(s.Start, s.End, s.Edits) }
