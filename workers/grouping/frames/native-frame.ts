/**
 * A native frame without symbols is named by its image and the offset in it, which stays the same
 * wherever the image is loaded. Part of g1: a change of any hash must be meant.
 */
import type { NativeImage } from '../../normalize/event.ts'
import { baseName } from './clean-file.ts'

export interface ImageLookup {
  /** Returns `libshop.so+0x1f40`, or an empty text for an unknown image. */
  readonly nameOf: (instructionAddr: string) => string
  /** The path of the image that the address is in, or an empty text. */
  readonly fileOf: (instructionAddr: string) => string
}

const hexAddress = /^0x[0-9a-f]{1,16}$/

/** Sorts once, when first called. */
export function imageLookup(images: readonly NativeImage[]): ImageLookup {
  if (images.length === 0) return noImages
  let sorted: NativeImage[] | undefined
  const imageAt = (address: bigint): NativeImage | undefined => {
    sorted ??= images.toSorted((a, b) => (a.addr < b.addr ? -1 : a.addr > b.addr ? 1 : 0))
    const image = lastNotAfter(sorted, address)
    return image === undefined || BigInt(image.size) <= address - image.addr ? undefined : image
  }
  return {
    nameOf(instructionAddr) {
      if (!hexAddress.test(instructionAddr)) return ''
      const address = BigInt(instructionAddr)
      const image = imageAt(address)
      const file = image === undefined ? '' : baseName(image.file).toLowerCase()
      return file === '' ? '' : `${file}+0x${(address - image!.addr).toString(16)}`
    },
    fileOf(instructionAddr) {
      return hexAddress.test(instructionAddr) ? (imageAt(BigInt(instructionAddr))?.file ?? '') : ''
    },
  }
}

/** Of an event without images. */
export const noImages: ImageLookup = { nameOf: () => '', fileOf: () => '' }

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
