"""Spanish: what people say to a dialogue system, folded (no accents, ñ as n)."""

from dialogue.nlu.text.lexicons.lexicon import (
    ActPhrases,
    Calendar,
    CueWords,
    Lexicon,
    Numerals,
    combine_phrases,
    number_words,
    parse_phrases,
    parse_words,
)

PRAISE = combine_phrases(
    "es, eso es, esta, eso esta, todo es, todo esta, eso suena, suena, los datos son, los datos estan, parece,"
    "eso seria, seria, todo parece",
    "correcto, correctos, perfecto, bien, genial, estupendo, ideal, excelente, muy bien, fantastico",
) | parse_phrases("perfecto, genial, estupendo, muy bien, excelente, fantastico, que bien, buenisimo")

ACTS = ActPhrases(
    yes=parse_phrases(
        "eso esta bien, tiene buena pinta, me parece perfecto, todo perfecto, esta perfecto, asi esta bien",
        "suena bien, si, s, sip, sii, si si, claro, claro que si, por supuesto, desde luego, vale, ok, okay",
        "de acuerdo, correcto, exacto, eso es, asi es, esta bien, bien, perfecto, adelante, hazlo, hagalo, confirmo",
        "confirmado, confirmar, dale, venga, estupendo, genial, muy bien, me parece bien, por favor hazlo",
        "es correcto, todo correcto, todo bien, cierto, va, afirmativo, como no, sin duda, si quiero, acepto",
        "de una, listo, seguro, exactamente, bueno, procede, proceda, confirmalo, verdad, es verdad, si lo es",
        "si claro, si gracias, si por supuesto, encantado, encantada, me vale, puedes continuar, puede continuar",
        "puedes proceder, puede proceder, eso me sirve, me sirve, eso me va bien, me va bien, ideal, excelente",
    )
    | PRAISE,
    no=parse_phrases(
        "no, n, nop, que no, no no, para nada, en absoluto, claro que no, por supuesto que no, negativo, incorrecto",
        "mal, no es correcto, esta mal, no esta bien, todavia no, aun no, ahora no, mejor no, de ninguna manera",
        "no quiero, no es eso, no lo hagas, no lo haga, nunca, jamas, no es asi, falso, no creo, ni hablar",
        "no hace falta gracias, ya no",
    ),
    cancel=parse_phrases(
        "cancela, cancelar, cancelalo, cancele, cancelo, cancela eso, cancela todo, cancelarlo, dejalo, dejelo",
        "dejalo estar, olvidalo, olvidelo, olvida eso, da igual dejalo, para, pare, alto, basta, stop, abortar",
        "aborta, salir, sal, fin, ya no quiero, ya no lo quiero, no quiero seguir, no quiero continuar",
        "he cambiado de idea, cambie de idea, anular, cambie de opinion, he cambiado de opinion, mejor dejalo",
        "no importa, no importa dejalo, anula, anulalo, terminar, quiero cancelar, quiero cancelarlo, me rindo",
        "dejalo como estaba, dejalo como esta, dejelo como estaba, mejor dejalo como estaba, lo dejo, mejor lo dejo",
        "dejemoslo, detente, no sigas, parar",
    ),
    restart=parse_phrases(
        "reiniciar, reinicia, empezar de nuevo, empieza de nuevo, empecemos de nuevo, volver a empezar",
        "vuelve a empezar, desde el principio, empezar desde el principio, empezar de cero, de cero, desde cero",
        "comenzar de nuevo, reset, volvamos a empezar, otra vez desde el principio, borrar todo y empezar",
        "comencemos de nuevo, empezar otra vez",
    ),
    repeat=parse_phrases(
        "repite, repitelo, repita, repitalo, repetir, repite eso, otra vez, de nuevo, una vez mas, como, que",
        "como dices, como dice, que dices, que has dicho, que dijiste, perdon, perdona, no te he oido, no he oido",
        "no te oi, mande, no lo he entendido bien, puedes repetir, puede repetir, puedes repetirlo, puede repetirlo",
        "dilo otra vez, dilo de nuevo, cual era la pregunta, que era, repite la pregunta, repita la pregunta",
        "puedes repetir la pregunta, me lo repites, me lo repite, puedes repetirmelo, vuelve a decirlo",
        "vuelve a preguntar",
    ),
    person=parse_phrases(
        "persona, humano, operador, operadora, agente, una persona, un humano, un agente, un operador",
        "una operadora, alguien, una persona real, persona real, un ser humano, atencion al cliente",
        "servicio al cliente, soporte, hablar con una persona, hablar con alguien, hablar con un humano",
        "hablar con un agente, hablar con un operador, hablar con una operadora, hablar con una persona real",
        "hablar con un ser humano, hablar con atencion al cliente, hablar con un empleado, hablar con el encargado",
        "hablar con un responsable, hablar con un asesor, un asesor, pasame con una persona, paseme con una persona",
        "pasame con alguien, pasame con un agente, ponme con una persona, pongame con una persona",
        "ponme con alguien, que me atienda una persona, un empleado, representante, un representante",
        "atender una persona, atenderme una persona, atender alguien, que me atienda alguien, que me atienda un humano",
        "hablar con un representante, comunicame con una persona, comuniqueme con un agente",
    ),
    chitchat=parse_phrases(
        "gracias, muchas gracias, mil gracias, muchisimas gracias, te lo agradezco, se lo agradezco, hola, buenas",
        "hey, buenos dias, buenas tardes, buenas noches, que tal, como estas, como esta, como te va, hola que tal",
        "saludos, adios, hasta luego, hasta pronto, chao, nos vemos, que tengas un buen dia, encantado de conocerte",
        "hasta manana, quien eres, quien es, que eres, eres un robot, eres humano, eres una persona, eres un bot",
        "jaja, jajaja, guay, que bien, bien hecho, eres genial, cuentame un chiste, como te llamas, de nada",
        "eso es todo, nada mas, es todo, eso es todo gracias, nada mas gracias, te quiero, eres tonto, interesante",
        "que interesante, te agradezco tu ayuda, agradezco tu ayuda, muy agradecido, muy agradecida, muy amable",
        "has sido de gran ayuda, ha sido de gran ayuda, no necesito nada mas, eso era todo, con eso es suficiente",
        "ya tengo todo lo que necesito, eso es lo que necesitaba, me has ayudado mucho, me ha ayudado mucho",
    )
    | combine_phrases(
        "que tengas, que tenga, que pases, que pase, ten", "buen dia, buena tarde, buena noche, un buen dia"
    ),
    praise=PRAISE,
    courtesies=parse_phrases(
        "de verdad, por ahora, por hoy, de momento, por el momento, tambien, y, lo que necesitaba, lo que necesito",
        "lo que queria, que bien, igualmente, buen servicio, buen trabajo",
    )
    | combine_phrases(
        "por, por tu, por su, por la, por toda tu, por toda su, por toda la, por el, por todo",
        "ayuda, ayudar, ayudarme, informacion, todo, eso, esto, atencion, amabilidad, tiempo, servicio, tu tiempo",
    ),
    status=parse_phrases(
        "estado, que tienes, que tienes hasta ahora, que llevamos, que llevas, que tenemos, resumen, resume",
        "hazme un resumen, en que estamos, por donde vamos, hay novedades, alguna novedad, novedades, hay noticias",
        "alguna noticia, ya esta, cual es el estado, como va, como va eso, como va lo mio, como vamos, esta listo",
        "ya esta listo, cuanto falta, cuanto queda, que pasa, que esta pasando, lo han aprobado, lo han aprobado ya",
        "ya lo han aprobado, esta aprobado, que te he dicho, que he dicho, que he dicho hasta ahora",
        "que sabes hasta ahora, sigues ahi, hay algo nuevo, en que punto estamos, en que punto esta",
    ),
    help=parse_phrases(
        "ayuda, ayudame, ayudeme, necesito ayuda, socorro, que puedes hacer, que sabes hacer, que puedo hacer, menu",
        "que puedo decir, en que me puedes ayudar, en que puedes ayudarme, en que puede ayudarme",
        "como me puedes ayudar, como funciona, como funciona esto, como funcionas, que opciones tengo, opciones",
        "que haces, que puedo preguntar, que puedo pedir, que mas puedes hacer, que servicios ofreces",
        "menu principal, estoy perdido, estoy perdida",
    ),
    skip=parse_phrases(
        "saltar, salta, saltalo, omitir, omite, omitelo, paso, pasar, siguiente, siguiente pregunta, ninguno",
        "ninguna, no tengo, no lo tengo, no tengo ninguno, no tengo ninguna, nada, no hace falta, no es necesario",
        "sin, dejalo en blanco, en blanco, vacio, sin preferencia, me da igual, da igual, no me importa",
        "prefiero no decirlo, prefiero no darlo, prefiero no darla",
        "saltatelo, saltala, no aplica, sigamos, sin comentarios, no necesito, lo que sea, cualquiera",
    ),
    skip_item=parse_phrases(
        "salta este, salta esta, saltate este, saltate esta, saltese este, saltese esta, omite este, omite esta",
        "deja este, deja esta, deja este como esta, deja esta como esta, dejalo como esta, dejala como esta, este no",
        "esta no, este dejalo, esta dejala, el siguiente, la siguiente, pasa al siguiente, pasa a la siguiente",
        "pasemos al siguiente, pasemos a la siguiente, sin este, sin esta, olvida este, olvida esta, quita este",
        "quita esta, salta este articulo, omite este articulo, este articulo no, omitir este, omitir esta",
        "saltar este, saltar esta, pasar al siguiente, pasar a la siguiente",
    ),
    enough=parse_phrases(
        "eso es todo, nada mas, es todo, ya esta, ninguna mas, ninguno mas, con eso basta, ya esta todo"
    ),
    explain=parse_phrases(
        "que significa, que significa eso, que quieres decir, que quiere decir, que quiere decir eso, que es eso",
        "que es esto, no entiendo, no lo entiendo, no comprendo, por que, por que lo preguntas",
        "por que necesitas eso, para que necesitas eso, por que lo necesitas, por que hace falta, para que hace falta",
        "para que sirve, para que, para que lo necesitas, para que lo quieres, para que es",
        "donde lo miro, donde puedo ver eso, donde puedo verlo, donde lo veo, donde lo pone, donde pone eso",
        "donde sale, donde viene, donde viene eso, donde aparece, donde lo encuentro, donde encuentro eso",
        "donde esta eso, donde puedo encontrarlo, donde lo puedo encontrar",
        "puedes explicarlo, puedes explicarmelo, explicame, explicamelo, explicate, como lo encuentro, por ejemplo",
        "en que formato, que formato, que pongo, que debo poner, que opciones hay, cuales son las opciones",
        "cuales hay, que hay, no se, no lo se, ni idea, no estoy seguro, no estoy segura, a que te refieres",
        "cuales son, que debo escribir, que tengo que poner, no tengo ni idea, como cual, como que",
    ),
    neither=parse_phrases(
        "ninguno, ninguna, ninguno de los dos, ninguna de las dos, ninguno de ellos, ninguna de ellas",
        "ni uno ni otro, ni una ni otra, otra cosa, algo distinto, nada de eso, ninguna de esas, ninguno de esos",
        "ninguna de las anteriores, ninguno de los anteriores, otro, otra, algo diferente, nada",
    ),
    hesitations=parse_phrases(
        "eh, mmm, mm, hm, hmm, a ver, dejame ver, dejeme ver, dejame pensar, dejeme pensar, dejeme mirar, dejame mirar",
        "lo miro, voy a mirarlo, tengo que mirarlo, tengo que pensarlo, lo pienso, espera, espere, aguarda, aguarde",
        "no tan rapido, atras, vuelve atras, volver atras, vuelva atras, un paso atras, anterior, la pregunta anterior",
        "deshacer, ya espero, espero, me espero, esperare, estoy esperando, tomese su tiempo, tomate tu tiempo",
        "no hay prisa, sin prisa, no corre prisa, ya veo, entiendo, luego, mas tarde, eso luego, luego te lo digo",
        "luego se lo digo, despues, lo hacemos luego, ya lo hare luego",
    )
    | combine_phrases(
        "un, espera un, espere un, dame un, deme un, dame, deme, solo un, en un, aguarde un, aguarda un, un par de",
        "segundo, momento, minuto, momentito, segundito, instante, un segundo, un momento, un minuto, unos minutos,"
        "minutos, segundos",
    ),
    fillers=parse_phrases(
        "como mucho, como maximo, a lo sumo, uy, huy, ay",
        "por favor, porfa, porfavor, gracias, muchas gracias, pues, bueno, eh, mmm, ah, oh, hola, buenas, entonces",
        "ahora, creo, creo que, supongo, quizas, ya, oye, mira, es que, a ver, vale, ok, perdon, la verdad, eso",
        "nada, hombre, ahora mismo, de momento, sabes, digamos, si puedes, si puede ser, otra vez, senor, senora",
        "tambien, disculpa, disculpe",
    ),
    openers=parse_phrases(
        "puedes, podrias, puede, podria, puedo, podemos, quiero, quisiera, querria, me gustaria, necesito",
        "tengo que, debo, vamos a, quiero que, me puedes, me puede, me podrias, me podria, deseo, es posible",
        "se puede, prefiero, dame, deme, hay posibilidad de, alguna posibilidad de, me pueden, me podeis, me podrian",
    ),
)

CUES = CueWords(
    function_words=parse_words(
        "el la los las un una unos unas lo al del de en a ante con por para sobre sin entre hasta desde y e o u ni",
        "que si no mi mis tu tus su sus nuestro nuestra yo me te se nos le les ella ellos ellas usted ustedes este",
        "esta esto estos estas ese esa eso esos esas aquel es son soy eres era fue ser estar estoy estan hay ha he",
        "has han haber tengo tiene tienes quiero quisiera querria gustaria puedo puedes puede podria podrias",
        "necesito como cuando donde quien cual cuales cuanto cuanta cuantos cuantas porque pero mas muy ya aqui ahi",
        "alli tambien solo pues bueno favor gracias hola vale ok algo alguna alguno algun nada cosa cosas hacer",
        "hago haz dame deme hace tener va voy vamos ir decir dime digame saber sabes eh ah oh otro otra uno todo",
        "toda todos todas",
    ),
    asking_words=parse_words("que cual cuales quien quienes donde cuando cuanto cuanta cuantos cuantas"),
    question_words=parse_words(
        "que cual cuales quien quienes cuando donde como cuanto cuanta cuantos cuantas porque puedo puedes puede",
        "hay tienen teneis abren abris se",
    ),
    linking_words=parse_words(
        "es son se llama llamado llamada titulado titulada de sea",
    ),
    item_links=parse_phrases("por, con, a, para, debe ser, deberia ser, sea, tiene que ser"),
    swapped_links=parse_phrases("en lugar de, en vez de, en lugar del, en vez del, en sustitucion de"),
    exchange_links=parse_phrases("por"),
    item_joints=parse_words("y e luego tambien"),
    both=parse_phrases(
        "los dos, las dos, ambos, ambas, todos, todas, las dos cosas",
    ),
    explaining_words=parse_words(
        "significa encuentro encontrar ver veo explicar entender exactamente",
    ),
    negations=parse_phrases(
        "no, excepto, salvo, menos, no es, no el, no la, todo menos, en lugar de, en vez de, no en",
        "en lugar del, en vez del",
    ),
    articles=parse_words(
        "el la los las un una en a para por",
    ),
    corrections=parse_phrases(
        "que sea, que sean, mejor, mejor que sea, en realidad, no, perdon, perdona, espera, queria decir",
        "quise decir, me referia a, digo, cambialo a, cambialo por, cambialo, cambia, cambiar, cambie, cambielo a",
        "cambielo por, pon, ponlo en, ponga, deberia ser, tiene que ser, corrige, corregir, correccion, rectifico",
        "me he equivocado, me equivoque, era, es, son, prefiero, actualiza, modifica, en vez de eso, quiero, hazlo",
        "sube a, baja a",
    ),
    wishes=parse_phrases("mejor, no, es, son, era, pon, ponga, prefiero, quiero, hazlo"),
    closers=parse_phrases(
        "en su lugar, mejor, en vez de eso, por favor, gracias, en lugar de eso, entonces, si puede ser",
    ),
    changes=parse_phrases(
        "cambiar, cambia, cambie, corregir, corrige, modificar, modifica, editar, edita, quiero cambiar, otro, otra",
        "distinto, distinta, diferente, actualizar, arreglar",
    ),
    targets=parse_phrases(
        "a, por, es, debe ser, deberia ser, sea, en, son, tiene que ser, era, para",
    ),
    another=parse_phrases(
        "otro, otra, distinto, distinta, diferente, equivocado, equivocada, mal, cambiar, cambia, cambie, corregir",
        "corrige, modificar, modifica, nuevo, nueva, editar, incorrecto, incorrecta",
    ),
    cancels=parse_phrases(
        "cancela, cancelar, cancele, olvida, olvidate de, olvide, deja, dejar, para, detener, anula, anular",
        "abandona, ya no quiero, no quiero, no necesito, ya no necesito, descarta, terminar",
    ),
    resumes=parse_phrases(
        "continua, continuar, continuar con, seguir, seguir con, sigue con, sigamos con, volver a, vuelve a",
        "volvamos a, reanudar, reanuda, retoma, retomar, retomemos, terminar, regresar a, volver con",
        "continuemos con, acabar",
    ),
    sequences=(
        ("y", "luego"),
        ("y", "despues"),
        ("y", "tambien"),
        ("y", "ademas"),
        ("despues",),
        ("luego",),
        ("ademas",),
        ("tambien",),
        ("y",),
    ),
    leads=parse_phrases(
        "es, son, somos, se llama, se titula, llamado, llamada, titulado, titulada, soy, me llamo, mi nombre es",
        "el nombre es, quiero, quisiera, me gustaria, seria, sera, pon, ponga, pues, creo que, creo que es, a, para",
        "con, dame, deme, elijo, escojo, prefiero, mejor, digamos, tengo, necesito, usa, use, escribe, vale, bueno",
        "si, el titulo es, la respuesta es, en, de, que sea, por ejemplo, quizas, fue, era, uno llamado",
        "me quedo con, tomo, me gusta, me gustan, me encanta, me encantan, busco, estoy buscando, algo, buscame",
    ),
    sentence_starters=parse_words(
        "yo quiero quisiera necesito busco buscame buscar estoy puedes puede podrias podria si no algo alguien me nos",
        "querria preferiria voy vamos vivo salgo ponme dame hay el la es",
    ),
    place_words=parse_words(
        "ciudad pueblo lugar sitio zona region pais aeropuerto estacion destino donde barrio localidad",
    ),
    denials_behind=parse_phrases("no, tampoco"),
    degrees=parse_words("muy tan demasiado especialmente"),
    rate_words=parse_words("al por cada"),
    denials=parse_words(
        "no sin ninguno ninguna tampoco nunca innecesario",
    ),
    place_prepositions=parse_words(
        "en cerca de desde a hasta hacia para por",
    ),
    tails=parse_phrases(
        "por favor, porfa, gracias, creo, supongo, si puede ser, mejor",
    ),
    person_words=parse_words(
        "persona humano humana operador operadora agente asesor asesora empleado empleada representante encargado",
        "responsable supervisor alguien companero companera personal equipo",
    ),
    requests=parse_phrases(
        "hablar con, pasame con, paseme con, ponme con, pongame con, comunicame con, comuniqueme con",
        "necesito un humano, quiero una persona, quiero un humano, necesito una persona, persona real",
        "que me atienda, conectame con",
    ),
    talk_verbs=parse_phrases(
        "hablar con, hable con, pasame con, paseme con, ponme con, pongame con, comunicame con, comuniqueme con",
        "conectame con, conecteme con",
    ),
    joining_words=parse_words("y e o u"),
    alternatives=parse_words("o u"),
    forgets=parse_phrases(
        "olvida, olvide, olvidate de, borra, borre, borrar, quita, quite, quitar, elimina, elimine, eliminar"
    ),
    skips=parse_phrases("saltate, saltese, salta, saltar, omite, omita, omitir, sin, deja sin, deje sin"),
    prefaces=parse_phrases(
        "y, e, tambien, pero, ah, espera, espere, primero, antes, mejor primero, mejor antes, por cierto, ademas",
        "ah y, y tambien, pero antes, pero primero",
    ),
    second_thoughts=parse_phrases("o no, no espera, no espere, o mejor, mejor dicho, o mas bien, no perdon"),
    vague_openings=parse_phrases(
        "algo de, algo con, algo sobre, algo para, es sobre, es por, se trata de, es acerca de, algo acerca de"
    ),
    house_questions=parse_phrases(
        "tienen, tiene, teneis, tienes, hay, venden, vendeis, aceptan, aceptais, admiten, ofrecen, ofreceis, se puede",
    ),
    anything_else_words=parse_words("mas otra otro otras otros"),
    other_one_words=parse_words("otras otros alternativas"),
    link_verbs=parse_words("es era son sera esta"),
    pointing_words=parse_words("mi nuestro nuestra su el la los las eso esto propio propia propios propias"),
    determiners=parse_words("el la los las un una mi"),
    kind_words=parse_words("ciudad pueblo capital centro tipo tipos clase"),
    naming_words=parse_words("llamado llamada llama titulado titulada titulo nombre"),
    persons_named=parse_words("persona contacto destinatario beneficiario quien actor artista medico nombre remitente"),
    companions=parse_words("a con de para por"),
    option_leads=parse_words("con de del que por numero los las ese esa esos esas todos todas ambos ambas"),
    doubts=parse_words("seguro segura duda dudo"),
    reason_words=parse_words("porque pues pero si cuando antes gracias favor yo me ya"),
    people_nouns=parse_words(
        "personas comensales huespedes jugadores participantes asistentes visitantes pasajeros viajeros adultos",
        "amigos amigas alumnos invitados",
    ),
    places_for_people=parse_words("plazas asientos entradas cubiertos"),
    children=parse_words("nino ninos nina ninas bebe bebes chico chicos chica chicas peque peques"),
    relatives=parse_words(
        "mujer marido esposa esposo pareja novia novio hijo hija madre padre hermano hermana amigo amiga adulto",
        "persona invitado invitada",
    ),
    speakers=parse_words("yo"),
    people_joints=parse_words("y e con mas"),
    people_ends=parse_phrases("de nosotros, de nosotras"),
    lone_words=parse_words("solo solamente"),
    people_leads=parse_phrases("para, somos, seremos, seriamos, vamos a ser, estaremos, para los, para las"),
    introductions=parse_phrases(
        "soy, me llamo, mi nombre es, nombre, se llama, es, a nombre de, ponla a nombre de, ponlo a nombre de",
    ),
    introduction_ends=parse_phrases("al habla"),
    origin_leads=parse_words("desde de"),
    destination_leads=parse_words("a hasta"),
    origin_words=parse_words("origen desde salida"),
    destination_words=parse_words("destino hasta llegada"),
    goal_leads=parse_words("a al para"),
    new_words=parse_words("nuevo nueva"),
    bound_words=parse_words("hasta antes despues"),
    range_words=parse_words("entre"),
    conditions=parse_phrases(
        "si, solo si, siempre que, siempre y cuando, mientras, a menos que, salvo que, cuando, en cuanto"
    ),
    directions={
        "de": parse_words("origen salida partida desde"),
        "desde": parse_words("origen salida partida desde"),
        "a": parse_words("destino llegada hasta"),
        "hasta": parse_words("destino llegada hasta"),
    },
    limits={
        "hasta": parse_words("fin final vuelta ultimo salida regreso devolucion"),
        "desde": parse_words("inicio principio primero entrada ida salida recogida"),
    },
    year_leads=parse_words("en desde"),
    concluding_words=parse_words("que entonces"),
    past_verbs=frozenset(),
    former_words=parse_words("era eran eramos"),
    same_options=tuple(
        map(
            parse_phrases,
            (
                "diario, diaria, diariamente, cada dia, todos los dias, a diario, una vez al dia",
                "semanal, semanalmente, cada semana, todas las semanas, una vez a la semana, una vez por semana",
                "quincenal, quincenalmente, cada quince dias, cada 15 dias, cada dos semanas, cada 2 semanas",
                "mensual, mensualmente, cada mes, todos los meses, una vez al mes",
                "trimestral, trimestralmente, cada tres meses, cada 3 meses, cada trimestre",
                "anual, anualmente, cada ano, todos los anos, una vez al ano",
                "manana, mananas, por la manana, por las mananas, de manana",
                "tarde, tardes, por la tarde, por las tardes, despues de comer, de tarde",
                "noche, noches, por la noche, por las noches, de noche",
                "pequeno, pequena",
                "mediano, mediana",
                "grande, grandes",
                "reembolso, que me devolvais el dinero, que me devuelvan el dinero, devolucion del dinero",
                "piso, apartamento",
                "ida, solo ida",
                "ida y vuelta, con vuelta",
                "tarjeta, con tarjeta",
                "transferencia, por transferencia, transferencia bancaria",
                "efectivo, en efectivo, en metalico, metalico",
            ),
        )
    ),
    size_letters={
        **dict.fromkeys(("pequeno", "pequena"), "s"),
        **dict.fromkeys(("mediano", "mediana"), "m"),
        **{"grande": "l", "extra grande": "xl"},
    },
    short_agreements=frozenset(),
    short_denials=parse_phrases("nadie, ninguno, ninguna, ninguno de nosotros"),
    person_question_words=parse_words("quien quienes destinatario contacto persona"),
    bot_questions=parse_phrases("eres un, eres una, es usted un, es usted una, eres humano, eres real, eres de verdad"),
    narrative_questions=parse_phrases("que pasa, que le pasa, que les pasa, que te pasa, que os pasa, que ha pasado"),
    code_words=parse_words("numero referencia codigo matricula"),
    reason_starters=parse_words("porque pues como"),
    asked_reasons=parse_words("motivo motivos razon razones porque"),
    narrative_words=parse_words(
        "paso pasado ocurrio sucedio averia averias dano danos defecto fallo siniestro molestias "
        "historia motivo motivos razon nota notas comentario comentarios observacion observaciones queja "
        "problema incidencia sintoma sintomas detalle detalles explicacion pregunta deseos peticion "
        "instrucciones experiencia resumen resena mensaje situacion circunstancias"
    ),
    clause_starters=parse_words(
        "yo me te se lo nos no que ya estoy estas estamos he has hemos ha voy vamos tengo tienes tiene",
        "tenemos soy eres es",
        "puedo puedes puede quiero quieres quiere prefiero creo si porque quizas tal aun todavia nunca hay digo",
    ),
    type_words={
        "email": parse_words("correo mail email"),
        "phone": parse_words("telefono movil celular numero"),
        "money": parse_words("importe cantidad suma monto precio"),
        "date": parse_words("fecha dia"),
        "time": parse_words("hora"),
    },
    exclusions=parse_phrases(
        "todo menos, todos menos, todas menos, todo excepto, todos excepto, todas excepto, todo salvo, todos salvo",
        "todas salvo, cualquiera menos, cualquier dia menos, todos los dias menos",
    ),
    counted_nouns=parse_words("vez veces segundo segundos minuto minutos momento momentos hora horas cosa cosas"),
    partitives=parse_words("de"),
    contact_verbs=parse_words(
        "hablar hable hablo tratar tratarlo comentar comentarlo consultar consultarlo hacer hacerlo pasa pasame paseme",
        "ponme pongame comunicame comuniqueme conecteme conectame llamar llamo atienda ver ayudar ayudarme",
    ),
    visiting_words=parse_words("que a para"),
    governing_words=parse_words("a con de uno una un algun alguna su sus el la los las"),
    possessives=parse_words("tu tus su sus vuestro vuestra vuestros"),
    accompanying=parse_words("con"),
    missing_words=parse_words(
        "falta faltan falte queda quedan necesita necesitas necesitan necesitais requiere pendiente pendientes",
        "rellenar completar terminar acabar hace",
    ),
    recall_phrases=parse_phrases(
        "he dicho, te he dicho, le he dicho, dije, te dije, le dije, le he dado, te he dado, has apuntado, ha apuntado",
        "tiene apuntado, tienes apuntado, has anotado, ha anotado, tiene anotado, has escrito, ha escrito, resumir",
        "resumirme, resumeme, resumame, resumelo, un resumen, sabe de mi, sabes de mi, tiene hasta ahora",
    ),
    progress_words=parse_words(
        "novedad novedades noticia noticias estado decidido decision decidieron aprobado aprobada aprobaron rechazado",
        "listo lista terminado hecho visto mirado revisado revisando mirando falta tarda tardan tardara pronto",
        "respuesta resultado sabe algo alguien nadie todavia aun mucho esperando esperar ya",
    ),
    matter_words=parse_words(
        "informacion datos dato pregunta preguntas respuesta respuestas paso pasos cosa cosas campo campos todavia aun",
        "mas ya hasta ahora mi detalles por para de mucho mucha muchos muchas poco casi",
    ),
    adding_words=parse_words("con por para sin en a que y"),
    contrasts=parse_words("pero aunque salvo excepto sino"),
    clause_joints=parse_words("y e luego tambien ademas espera espere"),
)

NUMERALS = Numerals(
    decimal=",",
    units={
        **number_words(
            "cero un/uno/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
            "diecisiete dieciocho diecinueve veinte veintiuno/veintiun/veintiuna veintidos veintitres veinticuatro "
            "veinticinco veintiseis veintisiete veintiocho veintinueve"
        ),
        **number_words("treinta cuarenta cincuenta sesenta setenta ochenta noventa", 30, 10),
        **number_words(
            "cien/ciento doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas "
            "quinientos/quinientas seiscientos/seiscientas setecientos/setecientas ochocientos/ochocientas "
            "novecientos/novecientas",
            100,
            100,
        ),
    },
    scales={"mil": 1_000, "millon": 1_000_000, "millones": 1_000_000},
    multipliers={"k": 1_000, "mil": 1_000, "millon": 1_000_000, "millones": 1_000_000, "docena": 12},
    joiners=frozenset({"y"}),
    articles=frozenset(),
    single={"un": 1, "una": 1},
    collectives={"par": 2, "docena": 12, "docenas": 12},
    halves=frozenset({"media"}),
    ordinals=number_words(
        "primero/primera/primer segundo/segunda tercero/tercera/tercer cuarto/cuarta quinto/quinta sexto/sexta "
        "septimo/septima octavo/octava",
        1,
    ),
    last_words=frozenset({"ultimo", "ultima"}),
    currencies=parse_words(
        "euro euros eur pesos peso dolar dolares usd libras libra centimos centimo pavos soles",
    ),
)

CALENDAR = Calendar(
    months=number_words(
        "enero/ene febrero/feb marzo abril/abr mayo junio/jun julio/jul agosto/ago septiembre/sep/setiembre "
        "octubre/oct noviembre/nov diciembre/dic",
        1,
    ),
    weekdays=number_words("lunes martes miercoles jueves viernes sabado domingo"),
    days={
        "hoy": 0,
        "esta manana": 0,
        "esta tarde": 0,
        "esta noche": 0,
        "pasado manana": 2,
        "manana": 1,
        "anoche": -1,
        "anteayer": -2,
        "ayer": -1,
    },
    units={
        "dia": "days",
        "dias": "days",
        "semana": "weeks",
        "semanas": "weeks",
        "mes": "months",
        "meses": "months",
        "ano": "years",
        "anos": "years",
        "quincena": "fortnights",
    },
    time_words=parse_words("finde semana fin manana mananas tarde tardes noche noches mediodia"),
    feasts={
        "nochebuena": 1224,
        "dia de navidad": 1225,
        "nochevieja": 1231,
        "ano nuevo": 101,
        "dia de reyes": 106,
        "san valentin": 214,
    },
    movable_feasts={
        "miercoles de ceniza": -46,
        "jueves santo": -3,
        "viernes santo": -2,
        "sabado santo": -1,
        "domingo de pascua": 0,
        "domingo de resurreccion": 0,
        "lunes de pascua": 1,
        "domingo de pentecostes": 49,
        "lunes de pentecostes": 50,
    },
    clock_units={"hora": 60, "horas": 60, "minuto": 1, "minutos": 1},
    day_lookalikes=frozenset(),
    shifted_times=(
        ("ahead", r"(?:en|dentro de) (?:{half} |{n} ){clock}(?! y media)"),
        ("back", r"hace (?:{half} |{n} ){clock}(?! y media)"),
        ("now", r"ahora(?: mismo)?"),
    ),
    past_words=parse_words(
        "ocurrio paso sucedio llego llegaron compraste compro compra perdiste perdio notaste recibio recibiste robaron"
        " accidente siniestro nacimiento naciste nacio"
    ),
    wish_words=parse_words("quiere quieres desea deseas prefiere prefieres necesita necesitas gustaria"),
    dates=(
        ("shift_day", r"{n} {unit} (?:a partir de|desde|despues de) {day}"),
        ("shift_ahead", r"(?:en|dentro de) {n} {unit}|{n2} {unit2} despues"),
        ("shift_back", r"hace {n} {unit}"),
        ("day_of_month", r"(?:{weekday},? )?(?:el )?(?:dia )?{d}(?: de)? {month}(?:(?:,| de| del)? {year})?"),
        ("day_of_month", r"(?:del )?{d}(?= ?(?:-|–|al|a|y el) ?(?:[0-9]{1,2}) (?:de )?{month}\b)"),
        ("day_only", r"del {d}(?= al [0-9]{1,2}\b)|(?<=[0-9] )al {d2}\b(?! de)"),
        ("day_of_month", r"(?:{weekday},? )?(?:el )?(?:dia )?{dw} de {month}(?:(?:,| de| del)? {year})?"),
        ("day_of_last_year", r"(?:el )?(?:dia )?{d}(?: de)? {month} del ano pasado"),
        ("day_of_next_year", r"(?:el )?(?:dia )?{d}(?: de)? {month} del (?:ano que viene|proximo ano)"),
        ("feast", r"(?:el |en )?{feast}"),
        ("movable_feast", r"(?:el )?{movable}"),
        ("today", r"hace (?:media|{n}) {clock}(?: y media)?"),
        ("end_of_month", r"(?:a )?(?:fin|finales) de mes|(?:el )?ultimo dia del mes"),
        ("end_of_month", r"(?:a )?(?:fin|finales) de {month}|(?:el )?ultimo dia de {month2}"),
        ("nth_weekday", r"(?:el )?{d} {weekday} de {month}"),
        ("last_weekday_of_month", r"(?:el )?ultimo {weekday} de {month}"),
        (
            "any_weekday",
            r"(?:(?:un|algun|cualquier|los) )?{weekday}s? de {month}|(?:algun|cualquier|todos los) {weekday2}s?",
        ),
        ("day_only", r"(?:el )?{weekday},? (?:dia )?{d}(?=$|[.,;!?]| (?:a|de|para|por|y)\b)"),
        ("day_only", r"(?:el )?dia {d}\b|\bel {d2}\b"),
        ("day_in_words", r"(?:el )?dia {dw}|el {dw2}(?=$|[.,;!?])"),
        ("week_from_today", r"(?:de )?hoy en ocho(?: dias)?"),
        ("coming_week", r"(?:el )?{weekday} de la (?:semana que viene|proxima semana)"),
        ("last_weekday", r"(?:el )?{weekday} pasado|(?:el )?pasado {weekday2}"),
        ("weekday", r"(?:el |este |el proximo |proximo )?{weekday}(?: que viene| proximo)?"),
        ("day", r"(?<!la ){day}"),
    ),
    times=(
        ("half_past", r"(?:a )?(?:las? )?{hour} y media"),
        ("quarter_past", r"(?:a )?(?:las? )?{hour} y cuarto"),
        ("quarter_to", r"(?:a )?(?:las? )?{hour} menos cuarto"),
        ("minutes_past", r"(?:a )?(?:las? ){hour} y {minute}"),
        ("minutes_to", r"(?:a )?(?:las? ){hour} menos {minute}"),
        ("noon", r"(?:al )?mediodia|(?:a )?las doce del mediodia"),
        ("midnight", r"(?:a )?medianoche"),
        ("hour_only", r"a las? {hour}(?: en punto)?"),
        ("hour_only", r"las? {hour}(?: en punto)?(?! (?:primer|ultim|cosa|opcion|otra)\w*)"),
    ),
    afternoon=frozenset(
        {"pm", "p.m.", "p.m", "de la tarde", "de la noche", "por la tarde", "por la noche", "esta noche"}
    ),
    morning=frozenset({"am", "a.m.", "a.m", "de la manana", "por la manana"}),
    hour_leads=parse_phrases("a la, a las, sobre las, hacia las, desde las"),
)

SPANISH = Lexicon("es", ACTS, CUES, NUMERALS, CALENDAR)
