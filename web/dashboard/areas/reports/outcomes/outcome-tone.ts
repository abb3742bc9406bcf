import type { Tone } from '../../../design/content/badge.tsx'

const tones: Readonly<Record<string, Tone>> = {
  accepted: 'success',
  over_quota: 'danger',
  rejected: 'warning',
  filtered: 'info',
  unsupported: 'purple',
}

export function outcomeTone(outcome: string): Tone {
  return tones[outcome] ?? 'neutral'
}
