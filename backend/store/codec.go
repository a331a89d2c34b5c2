package store

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// sealFormat is the first byte of every value.
const sealFormat = 1

// The header before a value's path: format, checksum, version, length of the path.
const (
	sealSum     = 1
	sealVersion = sealSum + crc32.Size
	sealLength  = sealVersion + 8
	sealHead    = sealLength + 1
)

var errSeal = errors.New("checksum is wrong")

// sum returns the checksum over a key and its data.
func sum(key string, parts ...[]byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	c := crc32.Update(0, table, []byte(key))
	for _, p := range parts {
		c = crc32.Update(c, table, []byte{0})
		c = crc32.Update(c, table, p)
	}
	return c
}

// sealed is a value as it is written.
type sealed struct {
	// version is the number of the transaction that wrote it.
	version uint64
	// path is its bucket.
	path    string
	payload []byte
}

// seal encodes the value.
func (v sealed) seal(key string) []byte {
	out := make([]byte, sealLength, sealHead+len(v.path)+len(v.payload))
	out[0] = sealFormat
	binary.BigEndian.PutUint64(out[sealVersion:], v.version)
	out = append(out, byte(len(v.path)))
	out = append(out, v.path...)
	out = append(out, v.payload...)
	binary.BigEndian.PutUint32(out[sealSum:], sum(key, out[sealVersion:]))
	return out
}

// unseal decodes a value. The payload aliases it.
func unseal(key string, value []byte) (sealed, error) {
	if len(value) < sealHead || value[0] != sealFormat {
		return sealed{}, errSeal
	}
	end := sealHead + int(value[sealLength])
	if len(value) < end || binary.BigEndian.Uint32(value[sealSum:]) != sum(key, value[sealVersion:]) {
		return sealed{}, errSeal
	}
	return sealed{binary.BigEndian.Uint64(value[sealVersion:]), string(value[sealHead:end]), value[end:]}, nil
}

// stamp is the value of an index entry.
func stamp(path, key string) []byte {
	return binary.BigEndian.AppendUint32(nil, sum(key, []byte(path)))
}

func checkStamp(path, key string, value []byte) error {
	if len(value) != crc32.Size || binary.BigEndian.Uint32(value) != sum(key, []byte(path)) {
		return errSeal
	}
	return nil
}
