package rewrite

// scripts keeps planned scripts within a number of bytes. It is a table of hashes with
// linear probing, so that to find a script takes a look at the table and one at the
// script: in a large memory each is a wait for the machine's own. Of the scripts, those
// go first that were not asked for since the hand came by last. It is not safe for
// concurrent use.
type scripts struct {
	most, bytes, count int
	slots              []scriptSlot // a power of two, of which a quarter is free
	hand               int
}

type scriptSlot struct {
	hash  uint64
	entry *scriptEntry // nil if the slot is free
}

type scriptEntry struct {
	key    scriptKey
	script Script
	bytes  int
	used   bool
}

// find returns what is kept under k, nil if nothing is. hash is that of k.
func (t *scripts) find(hash uint64, k *scriptKey) *scriptEntry {
	if t.count == 0 {
		return nil
	}
	mask := len(t.slots) - 1
	for i := int(hash) & mask; t.slots[i].entry != nil; i = (i + 1) & mask {
		if e := t.slots[i].entry; t.slots[i].hash == hash && e.key == *k {
			if !e.used {
				e.used = true
			}
			return e
		}
	}
	return nil
}

// put keeps s, which takes some bytes, under k. What is there already stays, and one
// script that would push out much of the rest is not kept.
func (t *scripts) put(hash uint64, k scriptKey, s Script, bytes int) {
	if bytes > t.most/16 || t.find(hash, &k) != nil {
		return
	}
	for t.bytes+bytes > t.most {
		t.evict()
	}
	if 4*(t.count+1) > 3*len(t.slots) {
		t.grow()
	}
	t.place(scriptSlot{hash, &scriptEntry{key: k, script: s, bytes: bytes, used: true}})
	t.count++
	t.bytes += bytes
}

// place puts a slot where it is found.
func (t *scripts) place(s scriptSlot) {
	mask := len(t.slots) - 1
	i := int(s.hash) & mask
	for t.slots[i].entry != nil {
		i = (i + 1) & mask
	}
	t.slots[i] = s
}

func (t *scripts) grow() {
	old := t.slots
	t.slots = make([]scriptSlot, max(64, 2*len(old)))
	for _, s := range old {
		if s.entry != nil {
			t.place(s)
		}
	}
}

// evict moves the hand on to a script that was not asked for, and removes it.
func (t *scripts) evict() {
	for mask := len(t.slots) - 1; ; t.hand++ {
		i := t.hand & mask
		switch e := t.slots[i].entry; {
		case e == nil:
		case e.used:
			e.used = false
		default:
			t.remove(i)
			return
		}
	}
}

// remove frees a slot. Those behind it that were put off by it move up.
func (t *scripts) remove(i int) {
	t.count--
	t.bytes -= t.slots[i].entry.bytes
	mask := len(t.slots) - 1
	for j := (i + 1) & mask; t.slots[j].entry != nil; j = (j + 1) & mask {
		if home := int(t.slots[j].hash) & mask; (j-home)&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = scriptSlot{}
}
