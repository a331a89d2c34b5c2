#!/bin/sh
# Prints the receipt for the order in order.txt.

total=0
while read -r item price; do
	printf '%-12s %3d\n' "$item" "$price"
	total=$price
done < order.txt

printf '%-12s %3d\n' total "$total"
