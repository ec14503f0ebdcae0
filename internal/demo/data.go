package demo

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"time"
)

// How much data there is. The overdue invoices are the answer to the question.
const (
	Customers = 800
	Invoices  = 120_000
	Overdue   = 1_847
)

// today is the day on which the books of the demo are read.
var today = time.Date(2026, time.November, 30, 0, 0, 0, 0, time.UTC)

// Customer is a row of customers.
type Customer struct {
	ID   int
	Name string
	City string
}

// Invoice is a row of invoices.
type Invoice struct {
	ID       int
	Number   string
	Customer int // a customer's ID
	IssuedOn time.Time
	DueOn    time.Time
	Cents    int64
	Status   string // paid, open or overdue
}

// Amount is the amount as SQL writes it.
func (i Invoice) Amount() string { return fmt.Sprintf("%d.%02d", i.Cents/100, i.Cents%100) }

var (
	firstWords = []string{"Alder", "Baltic", "Cedar", "Delta", "Ember", "Fjord", "Granite", "Harbour", "Indigo", "Juniper",
		"Kestrel", "Lantern", "Meridian", "North", "Orchard", "Pioneer", "Quarry", "River", "Summit", "Tidal"}
	secondWords = []string{"Bakery", "Books", "Brewing", "Clinic", "Coffee", "Design", "Energy", "Foods", "Freight", "Furniture",
		"Gardens", "Hotels", "Instruments", "Logistics", "Optics", "Paper", "Robotics", "Sails", "Textiles", "Tools"}
	cities = []string{"Aarhus", "Bilbao", "Cork", "Dresden", "Eindhoven", "Ghent", "Graz", "Leeds", "Lyon", "Porto", "Tampere", "Turin"}
)

// AllCustomers yields the customers, always the same ones.
func AllCustomers() iter.Seq[Customer] {
	return func(yield func(Customer) bool) {
		forms := []string{"Ltd", "Group"}
		for i := range Customers {
			first := firstWords[i%len(firstWords)]
			second := secondWords[i/len(firstWords)%len(secondWords)]
			form := forms[i/len(firstWords)/len(secondWords)]
			if !yield(Customer{ID: i + 1, Name: first + " " + second + " " + form, City: cities[i*7%len(cities)]}) {
				return
			}
		}
	}
}

// AllInvoices yields the invoices in the order of their dates, always the same
// ones. Those of the last 30 days are open; of the older ones of the last year
// Overdue are overdue, and all the rest is paid.
func AllInvoices() iter.Seq[Invoice] {
	return func(yield func(Invoice) bool) {
		random := rand.New(rand.NewPCG(1847, 120_000))
		const days = 3 * 365
		issued := func(i int) time.Time { return today.AddDate(0, 0, -days+(i*days)/Invoices) }
		var lastYear []int
		for i := range Invoices {
			if age := today.Sub(issued(i)).Hours() / 24; age > 30 && age <= 365 {
				lastYear = append(lastYear, i)
			}
		}
		overdue := map[int]bool{}
		for _, n := range random.Perm(len(lastYear))[:Overdue] {
			overdue[lastYear[n]] = true
		}
		for i := range Invoices {
			on := issued(i)
			invoice := Invoice{
				ID:       i + 1,
				Number:   fmt.Sprintf("INV-%d-%06d", on.Year(), i+1),
				Customer: 1 + random.IntN(Customers),
				IssuedOn: on,
				DueOn:    on.AddDate(0, 0, 30),
				Cents:    2_000 + random.Int64N(480_000),
				Status:   "paid",
			}
			switch {
			case overdue[i]:
				invoice.Status = "overdue"
			case !invoice.DueOn.Before(today):
				invoice.Status = "open"
			}
			if !yield(invoice) {
				return
			}
		}
	}
}
