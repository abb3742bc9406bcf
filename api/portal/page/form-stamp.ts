/** A signed time in each form. A form that is sent too fast, or without one, is from a program. */
import type { SecretBox } from '#platform/secret-box.ts'

const purpose = 'portal form'
const typingMsMin = 2_000
const keptMsMax = 24 * 3_600_000

export function makeFormStamp(box: SecretBox, projectKey: string, nowMs: number): string {
  const time = Math.floor(nowMs).toString(36)
  return `${time}.${box.mac(purpose, `${projectKey} ${time}`).toString('base64url')}`
}

export function isFormStamp(
  box: SecretBox,
  { stamp, projectKey, nowMs }: { stamp: string; projectKey: string; nowMs: number },
): boolean {
  const [time = '', mac = ''] = stamp.split('.')
  if (!/^[0-9a-z]{1,12}$/.test(time)) return false
  const ageMs = nowMs - Number.parseInt(time, 36)
  if (ageMs < typingMsMin || keptMsMax < ageMs) return false
  return box.isMac(purpose, `${projectKey} ${time}`, Buffer.from(mac, 'base64url'))
}
