/**
 * A native frame without symbols is named by its image and the offset in it, which stays the same
 * wherever the image is loaded. Part of g1: a change of any hash must be meant.
 */
import type { NativeImage } from '../../normalize/event.ts'
import { baseName } from './clean-file.ts'

export type ImageLookup = (instructionAddr: string) => string

const hexAddress = /^0x[0-9a-f]{1,16}$/

/**
 * Returns `libshop.so+0x1f40`, or an empty text for an unknown image. Sorts once, when first
 * called.
 */
export function imageLookup(images: readonly NativeImage[]): ImageLookup {
  let sorted: NativeImage[] | undefined
  return (instructionAddr) => {
    if (images.length === 0 || !hexAddress.test(instructionAddr)) return ''
    sorted ??= images.toSorted((a, b) => (a.addr < b.addr ? -1 : a.addr > b.addr ? 1 : 0))
    const address = BigInt(instructionAddr)
    const image = lastNotAfter(sorted, address)
    if (image === undefined) return ''
    const offset = address - image.addr
    if (BigInt(image.size) <= offset) return ''
    const file = baseName(image.file).toLowerCase()
    return file === '' ? '' : `${file}+0x${offset.toString(16)}`
  }
}

function lastNotAfter(sorted: readonly NativeImage[], address: bigint): NativeImage | undefined {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]!.addr <= address) low = middle + 1
    else high = middle
  }
  return sorted[low - 1]
}
