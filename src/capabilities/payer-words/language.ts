// What payers are spoken to in.
export type Language = 'en' | 'es' | 'fr'
export const languages: readonly Language[] = ['en', 'es', 'fr']
