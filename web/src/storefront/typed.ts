// What was typed into the log-in forms, kept while the page lives: nobody types a number twice only
// because they went from "log in" to "sign up". Passwords are not kept.
import { reactive } from 'vue'

export const typed = reactive({ phone: '', nickname: '' })
