/*
 * A table of ICU data without entries, in place of the 34 MB that Foundation brings along.
 *
 * Foundation formats numbers and dates for languages with this data; Haul formats nothing for a language. The linker takes the symbol
 * from here, and does not look for it in the library. ICU finds no data and uses its built-in root locale, or reports U_FILE_ACCESS_ERROR.
 * The layout is that of `stubdata.cpp` of ICU (icudt, common data, format version 1).
 */
#include <stdint.h>

struct table {
    uint16_t header_size;
    uint8_t magic[2];
    uint16_t info_size;
    uint16_t reserved_word;
    uint8_t is_big_endian, charset_family, size_of_uchar, reserved_byte;
    uint8_t data_format[4], format_version[4], data_version[4];
    uint8_t padding[8];
    uint32_t count, reserved;
};

const struct table icudt76_dat __attribute__((aligned(16))) = {
    .header_size = 32,
    .magic = {0xda, 0x27},
    .info_size = 20,
    .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
    .size_of_uchar = 2,
    .data_format = {'T', 'o', 'C', 'P'},
    .format_version = {1},
};
