/** How the SDK name of events begins that the product makes itself. */
export const ownSdkPrefix = 'sluice.'
