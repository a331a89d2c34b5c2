package store

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// sealFormat is the first byte of every value.
const sealFormat = 1

// sealHead is what comes before a value's path: format, checksum, length.
const sealHead = 1 + crc32.Size + 1

var errSeal = errors.New("checksum is wrong")

// sum is the checksum over where a value is and what it is.
func sum(path, key string, payload []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	c := crc32.Update(0, table, []byte(path))
	c = crc32.Update(c, table, []byte{0})
	c = crc32.Update(c, table, []byte(key))
	c = crc32.Update(c, table, []byte{0})
	return crc32.Update(c, table, payload)
}

// seal makes the value that is written.
func seal(path, key string, payload []byte) []byte {
	out := make([]byte, 0, sealHead+len(path)+len(payload))
	out = append(out, sealFormat)
	out = binary.BigEndian.AppendUint32(out, sum(path, key, payload))
	out = append(out, byte(len(path)))
	out = append(out, path...)
	return append(out, payload...)
}

// unseal returns the path and the payload of a value, both parts of it.
func unseal(key string, value []byte) (path string, payload []byte, err error) {
	if len(value) < sealHead || value[0] != sealFormat {
		return "", nil, errSeal
	}
	end := sealHead + int(value[sealHead-1])
	if len(value) < end {
		return "", nil, errSeal
	}
	path, payload = string(value[sealHead:end]), value[end:]
	if binary.BigEndian.Uint32(value[1:]) != sum(path, key, payload) {
		return "", nil, errSeal
	}
	return path, payload, nil
}

// stamp is the value of an index entry.
func stamp(path, key string) []byte {
	return binary.BigEndian.AppendUint32(nil, sum(path, key, nil))
}

func checkStamp(path, key string, value []byte) error {
	if len(value) != crc32.Size || binary.BigEndian.Uint32(value) != sum(path, key, nil) {
		return errSeal
	}
	return nil
}
