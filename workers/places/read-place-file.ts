/** Reads the operator's GeoIP file into memory that all threads of the process share. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { placesIn } from './places-in-file.ts'

const bytesMax = 2 ** 30

/** @throws Error that names the file and what is wrong with it. */
export function readPlaceFile(path: string): Uint8Array<SharedArrayBuffer> {
  try {
    const bytes = readShared(path)
    requirePlaces(bytes)
    return bytes
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    throw new Error(`GEOIP_FILE ${path} cannot be used: ${detail}`)
  }
}

function requirePlaces(bytes: Uint8Array<SharedArrayBuffer>): void {
  try {
    placesIn(bytes)('192.0.2.1')
  } catch (cause) {
    throw new Error("it is damaged, or not in MaxMind's format", { cause })
  }
}

function readShared(path: string): Uint8Array<SharedArrayBuffer> {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    if (size === 0) throw new Error('it is empty')
    if (size > bytesMax) throw new Error('it is larger than 1 GiB')
    const bytes = new Uint8Array(new SharedArrayBuffer(size))
    let read = 0
    while (read < size) {
      const count = readSync(file, bytes, read, size - read, read)
      if (count === 0) throw new Error('it became shorter while it was read')
      read += count
    }
    return bytes
  } finally {
    closeSync(file)
  }
}
