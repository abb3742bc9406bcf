/** The widths and color schemes in which an email is looked at. */
export interface PreviewLook {
  readonly name: string
  readonly label: string
  readonly width: number
  readonly scheme: 'light' | 'dark'
}

export const previewLooks: readonly PreviewLook[] = [
  { name: 'wide', label: 'Wide', width: 640, scheme: 'light' },
  { name: 'narrow', label: 'Narrow', width: 390, scheme: 'light' },
  { name: 'dark', label: 'Dark', width: 640, scheme: 'dark' },
  { name: 'text', label: 'Text', width: 640, scheme: 'light' },
]

export function previewLookNamed(name: string | undefined): PreviewLook {
  return previewLooks.find((look) => look.name === name) ?? previewLooks[0]!
}
