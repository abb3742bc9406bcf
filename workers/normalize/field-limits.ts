/**
 * Longest values of the fields of an event. They follow the limits of Sentry's server, so that an
 * event looks the same in both. Numbers of items (frames, tags, …) are in `#schemas/limits.ts`.
 */

/** In UTF-16 code units, which are `length` in JavaScript. */
export const fieldCharactersMax = {
  message: 8192,
  exceptionValue: 8192,
  exceptionType: 256,
  tagKey: 200,
  tagValue: 200,
  transaction: 200,
  release: 250,
  environment: 64,
  dist: 64,
  logger: 64,
  serverName: 256,
  component: 64,
  /** Paths, modules and functions. */
  symbol: 256,
  sourceLine: 1024,
  userId: 128,
  userName: 128,
  email: 75,
  sdkName: 64,
  sdkVersion: 64,
  fingerprintPart: 1024,
  checksum: 128,
  category: 256,
  url: 2048,
  queryString: 4096,
  headerValue: 4096,
} as const

/**
 * Bounds on free data: nested levels, characters of one text, characters of all texts together.
 */
export interface DataBounds {
  readonly depthMax: number
  readonly textCharactersMax: number
  readonly charactersMax: number
}

export const varsBounds = { depthMax: 7, textCharactersMax: 2048, charactersMax: 16_384 }
export const contextBounds = { depthMax: 7, textCharactersMax: 4096, charactersMax: 8192 }
export const extraBounds = { depthMax: 7, textCharactersMax: 16_384, charactersMax: 262_144 }
export const crumbBounds = { depthMax: 5, textCharactersMax: 2048, charactersMax: 8192 }
export const requestDataBounds = { depthMax: 7, textCharactersMax: 16_384, charactersMax: 65_536 }
export const metaBounds = { depthMax: 20, textCharactersMax: 1024, charactersMax: 16_384 }
export const smallBounds = { depthMax: 4, textCharactersMax: 1024, charactersMax: 8192 }

export const contextsPerEventMax = 64
export const threadsPerEventMax = 256
export const imagesPerEventMax = 1000
export const modulesPerEventMax = 1000
export const pairsMax = 128
export const fingerprintPartsMax = 64
export const sourceLinesMax = 16
export const errorsPerEventMax = 50
export const notesPerEventMax = 40
