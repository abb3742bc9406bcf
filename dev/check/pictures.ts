/** The rule for pictures: WebP files of the dashboard, few and small: the history keeps all. */

export const pictureBytesMax = 60_000
const picturesMax = 6
const isPicture = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|pdf|mp4|webm)$/i
const isAllowed = /^docs\/dashboard\/[\w-]+\.webp$/

/** Returns one sentence per violation. */
export function pictureViolations(
  files: readonly { readonly path: string; readonly bytes: number }[],
): string[] {
  const pictures = files.filter(({ path }) => isPicture.test(path))
  const allowed = pictures.filter(({ path }) => isAllowed.test(path))
  return [
    ...pictures
      .filter(({ path }) => !isAllowed.test(path))
      .map(({ path }) => `${path} is a picture outside of docs/dashboard/*.webp`),
    ...allowed
      .filter(({ bytes }) => bytes > pictureBytesMax)
      .map(({ path, bytes }) => `${path} has ${bytes} bytes, more than ${pictureBytesMax}`),
    ...(allowed.length > picturesMax
      ? [`docs/dashboard/ holds ${allowed.length} pictures, more than ${picturesMax}`]
      : []),
  ]
}
