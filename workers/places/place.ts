/** Where an address is, as far as a file in MaxMind's format says. Shape of `user.geo`. */
export interface Place {
  readonly country_code?: string
  readonly region?: string
  readonly city?: string
}

/** A pure function while a process runs: the file is read once, at its start. */
export type PlaceOf = (address: string) => Place | undefined
