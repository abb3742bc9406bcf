/**
 * Recognises browsers that have been unsupported for years, with the same version limits as the
 * protocol's own server. Every browser names its ancestors in its user agent, so the most specific
 * name is tested first.
 */
export function isLegacyBrowser(userAgent: string): boolean {
  if (userAgent === '') return false
  for (const { name, oldest } of browsers) {
    const version = name.exec(userAgent)?.[1]
    if (version !== undefined) return Number(version) < oldest
  }
  return false
}

const browsers: readonly { readonly name: RegExp; readonly oldest: number }[] = [
  { name: /(?:MSIE |Trident\/.{0,60}rv:)(\d{1,4})/, oldest: Number.POSITIVE_INFINITY },
  { name: /Opera Mini\/(\d{1,4})/, oldest: 35 },
  // Opera with its own engine writes the version after its name or separately.
  { name: /^Opera\/.{0,200}Version\/(\d{1,4})/, oldest: 51 },
  { name: /^Opera[/ ](\d{1,4})/, oldest: 51 },
  { name: /OPR\/(\d{1,4})/, oldest: 51 },
  { name: /(?:Edge|EdgA?|EdgiOS)\/(\d{1,4})/, oldest: 79 },
  { name: /Firefox\/(\d{1,4})/, oldest: 67 },
  { name: /(?:Chrome|Chromium)\/(\d{1,4})/, oldest: 63 },
  { name: /(?:CriOS|FxiOS)\/(\d{1,4})/, oldest: 0 },
  { name: /Android (\d{1,4})\..{0,200}Version\/\d/, oldest: 4 },
  { name: /Version\/(\d{1,4}).{0,60}Safari\//, oldest: 12 },
]
