if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(protected_jumps -fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(protected_jumps -mbranch-protection=standard)
endif()

# One interface target carries every compiler flag.
add_library(jogak_flags INTERFACE)
target_compile_options(jogak_flags INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wformat=2
  -fstack-protector-strong ${protected_jumps} -fno-strict-overflow -ffp-contract=off
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
target_link_options(jogak_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
if(JOGAK_WERROR)
  target_compile_options(jogak_flags INTERFACE -Werror)
endif()
if(JOGAK_SANITIZE)
  target_compile_options(jogak_flags INTERFACE -fsanitize=${JOGAK_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(jogak_flags INTERFACE -fsanitize=${JOGAK_SANITIZE})
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(jogak_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
