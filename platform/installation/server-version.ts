/** The oldest ClickHouse that has what the migrations use: settings of a projection. */
export const clickhouseVersionMin = '25.12'

/** Compares version numbers of servers, such as `2.12.3-beta.1` or `26.3.4.13`. */
export function isAtLeast(version: string, wanted: string): boolean {
  const have = numbersOf(version)
  for (const [index, number] of numbersOf(wanted).entries()) {
    const mine = have[index] ?? 0
    if (mine !== number) return mine > number
  }
  return true
}

function numbersOf(version: string): number[] {
  const [plain = ''] = version.replace(/^v/, '').split(/[-+ ]/)
  return plain.split('.').map((part) => Number.parseInt(part, 10) || 0)
}
