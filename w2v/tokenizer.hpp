// Splits UTF-8 text at white space, as Python's str.split() does, and numbers the distinct tokens.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace w2v {

// Bytes of the white-space character that text begins with; 0 if it begins with none.
inline std::size_t space_width(std::string_view text) {
    auto is = [text](std::size_t at, unsigned char low, unsigned char high) {
        return at < text.size() && low <= std::uint8_t(text[at]) && std::uint8_t(text[at]) <= high;
    };
    switch (std::uint8_t(text[0])) {
        case 0xC2: return is(1, 0x85, 0x85) || is(1, 0xA0, 0xA0) ? 2 : 0;                // U+0085, U+00A0
        case 0xE1: return is(1, 0x9A, 0x9A) && is(2, 0x80, 0x80) ? 3 : 0;                // U+1680
        case 0xE2:
            return (is(1, 0x80, 0x80) && (is(2, 0x80, 0x8A) || is(2, 0xA8, 0xA9) || is(2, 0xAF, 0xAF))) ||
                   (is(1, 0x81, 0x81) && is(2, 0x9F, 0x9F)) ? 3 : 0;                     // U+2000-200A, 2028, 2029, 202F, 205F
        case 0xE3: return is(1, 0x80, 0x80) && is(2, 0x80, 0x80) ? 3 : 0;                // U+3000
        default: return is(0, 0x09, 0x0D) || is(0, 0x1C, 0x20) ? 1 : 0;
    }
}

// Bytes of text up to the end of its last white space; 0 if it has none.
inline std::size_t through_last_space(std::string_view text) {
    for (std::size_t at = text.size(); at-- > 0;)
        if (std::size_t width = space_width(text.substr(at))) return at + width;
    return 0;
}

// Whether a byte can begin white space: cheap to ask of every byte.
struct MayBeginSpace {
    bool at[256] = {};
    constexpr MayBeginSpace() {
        for (int byte : {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0xC2, 0xE1, 0xE2, 0xE3}) at[byte] = true;
    }
};
inline constexpr MayBeginSpace MAY_BEGIN_SPACE;

class Tokenizer {
public:
    // The number of each token of text, and, for each newline, how many tokens of text precede it.
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
            std::size_t begin = at;
            do ++at; while (at < text.size() && !(MAY_BEGIN_SPACE.at[std::uint8_t(text[at])] && space_width(text.substr(at))));
            types.push_back(type_of(text.substr(begin, at - begin)));
        }
    }

    // The number of a token; a new one gets the next.
    std::int32_t type_of(std::string_view token) {
        std::size_t hash = std::hash<std::string_view>{}(token);
        std::uint32_t tag = std::uint32_t(hash >> 32);
        std::size_t mask = slots.size() - 1;
        std::size_t at = hash & mask;
        for (; slots[at].type >= 0; at = (at + 1) & mask)
            if (slots[at].tag == tag && this->token(slots[at].type) == token) return slots[at].type;
        std::int32_t type = std::int32_t(size());
        slots[at] = {tag, type};
        bytes.append(token);
        ends.push_back(bytes.size());
        if (2 * size() > slots.size()) grow();
        return type;
    }

    std::string_view token(std::int32_t type) const {
        return std::string_view(bytes).substr(ends[type], ends[type + 1] - ends[type]);
    }

    std::size_t size() const { return ends.size() - 1; }

private:
    struct Slot {
        std::uint32_t tag = 0;
        std::int32_t type = -1;
    };

    std::vector<Slot> slots = std::vector<Slot>(1 << 12);  // open addressing; a power of two, at most half full
    std::string bytes;                                     // all tokens, end to end
    std::vector<std::size_t> ends = {0};

    void grow() {
        std::vector<Slot> old(2 * slots.size());
        old.swap(slots);
        std::size_t mask = slots.size() - 1;
        for (std::int32_t type = 0; type < std::int32_t(size()); ++type) {
            std::size_t hash = std::hash<std::string_view>{}(token(type));
            std::size_t at = hash & mask;
            while (slots[at].type >= 0) at = (at + 1) & mask;
            slots[at] = {std::uint32_t(hash >> 32), type};
        }
    }
};

}  // namespace w2v
