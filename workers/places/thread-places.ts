/** The places that a Piscina thread knows, from the data that its pool was started with. */
import { workerData } from 'piscina'
import type { PlaceOf } from './place.ts'
import { placesIn } from './places-in-file.ts'
import type { ThreadData } from './read-place-file.ts'

/** Undefined without a GeoIP file. */
export function threadPlaces(): PlaceOf | undefined {
  const file = (workerData as ThreadData | undefined)?.placeFile
  return file === undefined ? undefined : placesIn(file)
}
