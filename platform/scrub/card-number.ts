/**
 * Recognises payment card numbers by length, issuer prefix and check digit (ISO/IEC 7812). One in
 * ten random numbers has a valid check digit, so the prefixes keep ids and times from matching.
 */
export function isCardNumber(digits: string): boolean {
  return lengthsOf(digits).includes(digits.length) && hasCheckDigit(digits)
}

export const cardDigitsMin = 13
export const cardDigitsMax = 19

const none: readonly number[] = []
const sixteen: readonly number[] = [16]

function lengthsOf(digits: string): readonly number[] {
  const two = Number(digits.slice(0, 2))
  const four = Number(digits.slice(0, 4))
  if (digits.startsWith('4')) return [13, 16, 19]
  if ((51 <= two && two <= 55) || (2221 <= four && four <= 2720)) return sixteen
  if (two === 34 || two === 37) return [15]
  if (two === 36 || two === 38 || two === 39 || (3000 <= four && four <= 3059)) return [14, 16]
  if (3528 <= four && four <= 3589) return sixteen
  if (two === 62) return [16, 17, 18, 19]
  if (four === 6011 || two === 65 || (6440 <= four && four <= 6499)) return sixteen
  if (two === 50 || (56 <= two && two <= 58) || two === 63 || two === 67) return sixteen
  return none
}

function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48
    const doubled = digit * 2
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
