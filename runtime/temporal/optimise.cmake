# blend.cc reads tensors.
octet_optimise(-Os from_blob.cc temporal.cc)
