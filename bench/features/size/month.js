/** Hours of a month: a twelfth of a year of 365 days. */
export const MONTH_HOURS = 730
