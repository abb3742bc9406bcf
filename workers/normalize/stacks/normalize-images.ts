/** The executable and library files that were loaded where a native program crashed. */
import type { Draft } from '../draft.ts'
import type { NativeImage } from '../event.ts'
import { fieldCharactersMax, imagesPerEventMax, smallBounds } from '../field-limits.ts'
import { boundObject, boundValue, type StoredData } from '../values/bound-value.ts'
import { addressText, readAddress } from '../values/read-address.ts'
import { readObject, readText } from '../values/read-value.ts'

export function normalizeImages({ sent, notes, event, stored }: Draft): void {
  const { images, sdk_info } = readObject(sent.debug_meta) ?? {}
  const info = boundObject(sdk_info, smallBounds, { field: 'debug_meta.sdk_info', notes })
  if (info !== undefined) stored.debug_meta = { images: undefined, sdk_info: info }
  if (!Array.isArray(images)) return
  if (images.length > imagesPerEventMax) {
    notes.add('debug_meta.images', `cut to ${imagesPerEventMax} images`)
  }
  const native: NativeImage[] = []
  const kept: StoredData[] = []
  for (const item of images.slice(0, imagesPerEventMax) as readonly unknown[]) {
    const image = readObject(item)
    if (image === undefined) continue
    const bounded = boundValue(image, smallBounds, { field: 'debug_meta.images', notes })
    const { image_addr, image_size, code_file, name } = image
    const addr = readAddress(image_addr)
    const addressed = addr === undefined ? {} : { image_addr: addressText(image_addr) }
    kept.push({ ...(bounded as StoredData), ...addressed })
    if (addr === undefined) continue
    const file = readText(code_file ?? name, {
      field: 'debug_meta.images.code_file',
      charactersMax: fieldCharactersMax.symbol,
      notes,
    })
    const size = readAddress(image_size)
    native.push({ file, addr, size: size === undefined ? 0 : Number(size) })
  }
  event.images = native
  if (kept.length > 0) stored.debug_meta = { images: kept, sdk_info: info }
}
