"""Spanish: words with which people choose among options."""

from dialogue.engine.slots.matching.vocabulary import (
    ASCENDING,
    DESCENDING,
    Vocabulary,
    graded,
    numbered,
    phrases,
    words,
)

ADJECTIVES, DEGREES = graded(
    {
        "barato/barata/baratos/baratas/economico/economica/economicos/economicas baratisimo": ("price", ASCENDING),
        "caro/cara/caros/caras/costoso/costosa carisimo": ("price", DESCENDING),
        "nuevo/nueva/nuevos/nuevas/reciente/recientes/tarde -": ("time", DESCENDING),
        "antiguo/antigua/antiguos/antiguas/viejo/vieja/viejos/viejas/temprano/pronto/temprana -": ("time", ASCENDING),
        "grande/grandes -": ("size", DESCENDING),
        "pequeno/pequena/pequenos/pequenas/chico/chica -": ("size", ASCENDING),
        "pesado/pesada/pesados/pesadas -": ("weight", DESCENDING),
        "ligero/ligera/liviano/liviana/ligeros/ligeras -": ("weight", ASCENDING),
        "largo/larga/largos/largas -": ("length", DESCENDING),
        "corto/corta/cortos/cortas -": ("length", ASCENDING),
        "alto/alta/altos/altas -": ("height", DESCENDING),
        "bajo/baja/bajos/bajas -": ("height", ASCENDING),
        "rapido/rapida/rapidos/rapidas -": ("speed", DESCENDING),
        "lento/lenta/lentos/lentas -": ("speed", ASCENDING),
        "bueno/buena/buenos mejor mejores": ("rating", DESCENDING),
        "malo/mala/malos peor peores": ("rating", ASCENDING),
        "cercano/cercana/cerca -": ("distance", ASCENDING),
        "lejano/lejana/lejos -": ("distance", DESCENDING),
        "ancho/ancha -": ("width", DESCENDING),
        "estrecho/estrecha -": ("width", ASCENDING),
        "potente/fuerte/brillante -": ("strength", DESCENDING),
        "debil -": ("strength", ASCENDING),
        "joven -": ("age", ASCENDING),
        "- mayor mayores": ("any", DESCENDING),
        "- menor menores": ("any", ASCENDING),
    }
)

SPANISH = Vocabulary(
    ignored=words(
        "otra otro otras otros",
        "correcto exacto perfecto perfecta listo lista genial estupendo cierto exactamente esta asi estan",
        "el la los las lo un una unos unas este esta estos estas ese esa esos esas aquel aquella eso esto aquello mi",
        "mis tu tus su sus nuestro nuestra mio mia yo me te se nos le les ella ellos ellas usted ustedes a al de del",
        "en por para con que cual cuales quien como cuando donde si claro vale ok bien bueno buena gracias favor",
        "hola oh eh pues entonces asi es son era fue sea ser estar estaba estan ha he han hay haber tengo tiene",
        "quiero quisiera queria necesito prefiero elijo escojo tomo cojo dame deme ponme pon dejame quedo quedarme",
        "gusta gustaria mejor creo pienso digo dije decir seria opcion opciones numero articulo articulos producto",
        "productos cosa cosas pedido pedidos orden ordenes linea fila resultado compra llama llamado llamada tipo",
        "quizas tal vez ahora perdon perdona espera cambio cambia cambiar otra muy poco mucho tambien no ya solo",
        "cuesta cuestan valen costo precio fecha hecho hecha comprado comprada sobre entre hasta desde segun mas",
        "menos porfa nada toda todo todas todos algun alguna algo ello cada misma mismo propio sino pero ahi aqui",
        "alli ambos ambas code id buenas buenos dias tardes noches resto demas q d xfa tmb x k va vamos ver quiere",
        "llego vino puede puedes podria ir quedate elige seleccionar selecciono seleccionado",
    ),
    numbers=numbered(
        "uno/una/un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
        "diecisiete dieciocho diecinueve veinte"
    ),
    ordinals={
        word: number
        for number, entry in enumerate(
            ["primer", "segund", "tercer", "cuart", "quint", "sext", "septim", "octav", "noven", "decim"], start=1
        )
        for word in (f"{entry}o", f"{entry}a", f"{entry}os", f"{entry}as", *((entry,) if number in (1, 3) else ()))
    }
    | {"arriba": 1},
    last=words("ultimo ultima ultimos ultimas final abajo"),
    last_but_one=phrases("penultimo, penultima, anteultimo, anteultima"),
    middle=words("medio centro enmedio"),
    number_leads=words("numero num nro opcion linea fila posicion"),
    ordinal_endings=words("o a er"),
    adjectives=ADJECTIVES,
    degrees=DEGREES,
    more=words("mas mayor maximo maxima mejor"),
    possessives=words("mi mis nuestro nuestra"),
    less=words("menos menor minimo minima peor"),
    months=numbered(
        "enero/ene febrero/feb marzo abril/abr mayo junio/jun julio/jul agosto/ago septiembre/setiembre/sep "
        "octubre/oct noviembre/nov diciembre/dic"
    ),
    weekdays=numbered("lunes martes miercoles jueves viernes sabado domingo", start=0),
    days_back={("hoy",): 0, ("ayer",): 1, ("anteayer",): 2, ("antes", "de", "ayer"): 2, ("manana",): -1},
    this_week=phrases("esta semana"),
    last_week=phrases("la semana pasada, semana pasada"),
    this_month=phrases("este mes"),
    last_month=phrases("el mes pasado, mes pasado"),
    this_year=phrases("este ano"),
    last_year=phrases("el ano pasado, ano pasado"),
    date_leads=words("de del en desde fecha dia"),
    currencies=words("euro euros eur dolar dolares usd peso pesos libra libras centimos"),
    amount_leads=words("por a cuesta vale de"),
    at_most=phrases(
        "menos de, por debajo de, hasta, como mucho, no mas de, inferior a, menor que, mas barato que",
        "mas barata que, menor de, antes de, antes del",
    ),
    at_least=phrases(
        "mas de, por encima de, al menos, superior a, mayor que, a partir de, mayor de, como minimo, despues de",
        "despues del",
    ),
    between=words("entre"),
    range_words=words("al a hasta"),
    joining=words("y e o u ni"),
    either=phrases(
        "cualquiera de los 2, cualquiera de las 2",
        "cualquiera, cualquiera de ellos, cualquiera de ellas, da igual, me da igual, da lo mismo, me da lo mismo",
        "no importa, el que sea, la que sea, la que quieras, el que quieras, cualquiera de los dos, elige tu",
    ),
    every=phrases(
        "los 2, las 2, los 3, las 3, todo, todos, todas, toda, ambos, ambas, los dos, las dos, todos ellos",
        "todas ellas, los tres, las tres, todo el pedido, el pedido entero, uno y otro, ambos dos, cada uno",
        "cada una, el pedido completo",
    ),
    exceptions=phrases(
        "menos, excepto, salvo, a excepcion de, exceptuando, fuera de, aparte de, sin, quitando, pero no, sin contar",
        "con excepcion de, excluyendo",
    ),
    nothing=phrases(
        "ninguno de los 2, ninguna de las 2, ninguno de los 3, ninguna de las 3, no quiero ninguno, no quiero ninguna",
        "ninguno, ninguna, ninguno de ellos, ninguna de ellas, ninguno de los dos, ninguna de las dos, nada, vacialo",
        "vaciala, vacia la lista, borralo todo, quitalo todo, quita todo, ni uno ni otro, ni una ni otra",
        "ninguna de las anteriores, ninguno de esos, ninguna de esas, ningunos",
    ),
    negations=phrases(
        "no, no es, que no es, que no sea, no sea, no quiero, en vez de, en lugar de, nunca, que no esta, que no son",
        "no era, no el de, no la de",
    ),
    other=words("otro otra otros otras"),
    dual=phrases("ambos, ambas, los dos, las dos, los 2, las 2, uno y otro"),
    plus=words("mas"),
    contrast=words("sino pero"),
    refusals=phrases(
        "no lo quiero, no la quiero, no los quiero, no las quiero, ya no, no hace falta, no es, no era",
    ),
    rest=phrases(
        "el resto, lo demas, los demas, las demas, los otros, las otras, todo lo demas, todos los demas",
    ),
    additions=phrases(
        "tambien, tmb, ademas, anade, anadir, agrega, agregar, suma, sumar, incluye, incluir, y tambien, y ademas",
        "pon, anademe, agregame, anada, agregue, mete, ponme tambien, asi como, otro, otra, y anade, se me olvidaba",
        "junto con, sumale, agregale, anadele, aparte, me olvide de, y ponme, incluyeme",
    ),
    removals=phrases(
        "no devuelvas, no canceles, no anules, no quiero devolver, no quiero cancelar, no quiero anular, no devuelvo",
        "quita, quitar, quitame, quite, saca, sacar, sacame, elimina, eliminar, borra, borrar, sin, menos, excepto",
        "ya no, no, olvida, deja fuera, descarta, descartar, excluye, excluir, no quiero, ya no quiero, salvo",
        "pero no, no incluyas, suprime, retira, retirar, no necesito, no pongas, olvidate de, al final no, resta",
        "no me pongas, omite",
    ),
    replacements=phrases("en vez de, en lugar de, en vez del, en lugar del"),
    only=words("solo solamente unicamente"),
    indefinite=words("un una algo alguna alguno otra otro"),
    plurals=words("los las todos todas ambos ambas esos esas estos estas"),
    plural_pronouns=frozenset(),
    definite=frozenset(),
    determiners=words("el la los las un una lo mi ese esa este esta del al"),
    questions=phrases(
        "que cuesta, cuanto, cuanta, cuando, donde, por que, como, quien, cuantos, cuantas, se puede, puedo, hay",
        "es posible, teneis, tienen, tienes, la teneis, lo teneis, me puedes decir, quisiera saber",
        "tengo una pregunta, una pregunta, es mas, cual es, cuales son, cual era, que es, que pasa, tarda, cuesta",
    ),
    polite_questions=phrases(
        "me das, me pones, me puedes dar, me puedes poner, puede ser, podria ser, me da, podrias, podria, puedes",
        "me podrias, me podria, puedo coger, puedo elegir, puedo quedarme, puedo devolver, podemos, me cambias",
        "puede anular, puedes anular, y si, que tal, me dejas, me anulas",
    ),
    greetings=words(
        "oh hola buenas eh pues bueno y pero espera vale ok perdon no si ah oye mira buenos dias tardes",
    ),
    self_corrections=phrases(
        "no perdon, perdon, digo, quiero decir, quise decir, mejor dicho, no espera, espera no, no mejor, corrijo",
        "uy, perdona, no no, me he equivocado, no digo, ay no",
    ),
    wishes=phrases(
        "quiero cambiar mi, quiero saber, quiero hablar, quisiera saber, necesito cambiar mi, me gustaria saber",
        "hablar con, quiero preguntar, necesito ayuda, quiero actualizar, cambiar mi, quisiera hablar, he olvidado",
        "ayuda, cancelar, parar, repite, quiero consultar, quiero cambiar la contrasena, necesito saber, olvide mi",
    ),
    swaps=phrases(
        "cambia, cambiar, cambiame, sustituye, sustituir, reemplaza, reemplazar, cambie, cambio",
    ),
    swap_joints=words("por"),
    keeps=phrases(
        "me quedo con, me quedo, quiero quedarme con, me voy a quedar con, quiero quedarme, conservo",
    ),
    bare_negations=words("ni"),
    trailing_negations=words("no tampoco fuera"),
    abbreviations=words("dr dra sr sra c avda num no ud"),
    asides=phrases(
        "un segundo, un momento, un minuto",
        "al final, al menos, por lo menos, de todas formas, de todos modos, sobre todo, a casa de, eso es todo",
        "es todo, nada mas, ante todo, con todo, y ya esta, no se, no estoy seguro, no estoy segura, por que no",
        "si no",
    ),
    around=phrases(
        "alrededor de, unos, unas, sobre, cerca de, aproximadamente, mas o menos",
    ),
    ending_leads=phrases(
        "acaba en, acabada en, terminada en, termina en, acabado en, terminado en, que acaba en, que termina en",
    ),
    units={
        **numbered(
            "uno/una/un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
            "diecisiete dieciocho diecinueve veinte veintiuno/veintiuna veintidos veintitres veinticuatro veinticinco "
            "veintiseis veintisiete veintiocho veintinueve"
        ),
        **{
            word: 10 * number
            for word, number in numbered("treinta cuarenta cincuenta sesenta setenta ochenta noventa", start=3).items()
        },
        **{
            word: 100 * number
            for word, number in numbered(
                "cien/ciento doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas "
                "quinientos/quinientas seiscientos/seiscientas setecientos/setecientas ochocientos/ochocientas "
                "novecientos/novecientas"
            ).items()
        },
    },
    scales={"mil": 1000, "millon": 1_000_000, "millones": 1_000_000},
    number_joiners=words("y"),
    number_articles=frozenset(),
    joins_tens=True,
    minutes_before={},
    minutes_behind={
        ("y", "media"): 30,
        ("y", "cuarto"): 15,
        ("menos", "cuarto"): -15,
        ("y", "10"): 10,
        ("y", "20"): 20,
        ("menos", "10"): -10,
        ("menos", "20"): -20,
    },
    clock_leads=phrases("a las, a la, las, de las, de la, sobre las, para las"),
    day_parts={
        "manana": (0, 13),
        "tarde": (13, 21),
        "noche": (19, 24),
        "mediodia": (12, 16),
        "cenar": (19, 24),
        "cena": (19, 24),
        "comer": (12, 17),
        "comida": (12, 17),
        "almorzar": (12, 17),
        "desayunar": (6, 12),
        "madrugada": (0, 6),
    },
)
