# Run once, or once a layer: small before fast.
octet_optimise(-Os agreement_api.cc api.cc bands.cc bind.cc content.cc decode_api.cc decode_memory.cc decode_objects_api.cc info.cc isa_names.cc kept.cc kernel_table.cc operators.cc run.cc self_test.cc state.cc state_api.cc states.cc
               transfer.cc validate_api.cc view_api.cc work.cc)
