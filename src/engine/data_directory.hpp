// The data directory of the embedded mode. A directory of another program is refused.

#pragma once

#include <string>

namespace floodgate::engine {

// Makes the directory if there is none, and lets only its owner enter. Throws std::runtime_error
// with one clear line when it cannot, and when the directory has files but none of Floodgate's.
// Such a directory is left as it is.
void prepare_data_directory(const std::string& path);

}  // namespace floodgate::engine
