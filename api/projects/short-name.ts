const shortNameCharactersMax = 20

/**
 * Upper case letters and digits of the name (`Web shop` becomes `WEB-SHOP`), with a number if
 * taken.
 */
export function freeShortName(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .match(/[A-Z0-9]+/g)
  const wanted = words?.join('-').slice(0, shortNameCharactersMax).replace(/-$/, '') ?? 'PROJECT'
  if (!taken.has(wanted)) return wanted
  let number = 2
  while (taken.has(`${wanted}${number}`)) number += 1
  return `${wanted}${number}`
}
