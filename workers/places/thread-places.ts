/** The places that a Piscina thread knows: the file comes with each task, and is opened once. */
import type { PlaceOf } from './place.ts'
import type { SharedPlaces } from './place-file.ts'
import { placesIn } from './places-in-file.ts'

let opened: { readonly version: number; readonly placeOf: PlaceOf } | undefined

/** Undefined without a GeoIP file. */
export function threadPlaces(places: SharedPlaces | undefined): PlaceOf | undefined {
  if (places === undefined) return undefined
  if (opened?.version !== places.version) {
    opened = { version: places.version, placeOf: placesIn(places.file) }
  }
  return opened.placeOf
}
