/** What a deletion cannot reach. The receipt says so. */
export const remainingPlaces: readonly string[] = [
  'Backups contain the data until they expire. A restored backup brings it back: repeat the deletion then.',
  'Log files of the processes, of proxies and of the databases keep what they contain until they are rotated.',
]

export const remainingOfPerson: readonly string[] = [
  ...remainingPlaces,
  'ClickHouse keeps the text of its last mutations, with the search pattern in hexadecimal, until newer ones replace them.',
  'Counters of failed log-ins name an address for at most a day.',
]
