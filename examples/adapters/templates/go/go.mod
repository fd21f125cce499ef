module template

go 1.21
