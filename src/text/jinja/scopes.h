// Which names each scope of a template knows, found before it runs. Jinja decides it by reading,
// not by running: a name that is set anywhere in a scope belongs to that scope from its start.
#pragma once

#include "text/jinja/node.h"

namespace jogak::jinja {

// Fills the entries of the tree and of its nodes. Refuses filters and tests that nobody knows,
// where Jinja does: not within if and inline if, which may never come to them.
void find_scopes(Tree& tree);

}  // namespace jogak::jinja
