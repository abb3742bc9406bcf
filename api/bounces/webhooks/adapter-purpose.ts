/** Of the secret box: what a provider's webhook must prove. The place is the id of the adapter. */
export const adapterPurpose = 'bounce adapter'
