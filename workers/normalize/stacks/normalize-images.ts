import type { NativeImage } from '../event.ts'
import { fieldCharactersMax, imagesPerEventMax, smallBounds } from '../field-limits.ts'
import { boundValue, type JsonValue } from '../values/bound-value.ts'
import type { Notes } from '../values/notes.ts'
import { addressText, readAddress } from '../values/read-address.ts'
import { readObject, readText } from '../values/read-value.ts'

export interface ReadImages {
  readonly typed: readonly NativeImage[]
  readonly canonical: readonly JsonValue[]
}

/** The program files that were loaded where a native program crashed. */
export function normalizeImages(debugMeta: unknown, notes: Notes): ReadImages {
  const { images } = readObject(debugMeta) ?? {}
  if (!Array.isArray(images)) return { typed: [], canonical: [] }
  if (images.length > imagesPerEventMax) {
    notes.add('debug_meta.images', `cut to ${imagesPerEventMax} images`)
  }
  const typed: NativeImage[] = []
  const canonical: JsonValue[] = []
  for (const item of images.slice(0, imagesPerEventMax) as readonly unknown[]) {
    const image = readObject(item)
    if (image === undefined) continue
    const bounded = boundValue(image, smallBounds, { field: 'debug_meta.images', notes })
    const { image_addr, image_size, code_file, name } = image
    const addr = readAddress(image_addr)
    const addressed = addr === undefined ? {} : { image_addr: addressText(image_addr) }
    canonical.push({ ...(bounded as { readonly [key: string]: JsonValue }), ...addressed })
    if (addr === undefined) continue
    const file = readText(code_file ?? name, {
      field: 'debug_meta.images.code_file',
      charactersMax: fieldCharactersMax.symbol,
      notes,
    })
    const size = readAddress(image_size)
    typed.push({ file, addr, size: size === undefined ? 0 : Number(size) })
  }
  return { typed, canonical }
}
