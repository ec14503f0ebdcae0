package demo

import (
	"slices"
	"testing"
)

func TestInvoices(t *testing.T) {
	invoices := slices.Collect(AllInvoices())
	if len(invoices) != Invoices {
		t.Fatalf("%d invoices", len(invoices))
	}
	if !slices.Equal(invoices, slices.Collect(AllInvoices())) {
		t.Error("the invoices differ from one call to the next")
	}
	status := map[string]int{}
	numbers := map[string]bool{}
	for i, v := range invoices {
		status[v.Status]++
		numbers[v.Number] = true
		if v.ID != i+1 || v.Customer < 1 || v.Customer > Customers || v.Cents < 2_000 {
			t.Fatalf("invoice %+v", v)
		}
		if late := v.DueOn.Before(today); late == (v.Status == "open") {
			t.Errorf("invoice %+v: due before today is %v", v, late)
		}
	}
	if status["overdue"] != Overdue || status["open"] == 0 || status["paid"] == 0 {
		t.Errorf("statuses %v", status)
	}
	if len(numbers) != Invoices {
		t.Errorf("%d different numbers", len(numbers))
	}
	if got := (Invoice{Cents: 1205}).Amount(); got != "12.05" {
		t.Errorf("an amount is %s", got)
	}
}

func TestCustomers(t *testing.T) {
	names := map[string]bool{}
	for c := range AllCustomers() {
		names[c.Name] = true
		if c.ID != len(names) || c.City == "" {
			t.Fatalf("customer %+v", c)
		}
	}
	if len(names) != Customers {
		t.Errorf("%d different customers", len(names))
	}
}
